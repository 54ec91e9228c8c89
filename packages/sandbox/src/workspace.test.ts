import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import * as fs from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import type { Zones } from '@nuum/protocol'
import { findSystemProgram } from './os/probe.ts'
import { type Access, policyOptions } from './path-policy.ts'
import { type Place, type Workspace, approved, createWorkspace, hashOf } from './workspace.ts'

const notPosix = process.platform === 'win32' ? 'needs POSIX links and pipes' : false

function bench(t: TestContext): { base: string; room: string; zones: Zones; workspace: Workspace; at: (path: string, access: Access) => Place } {
  const base = fs.realpathSync(fs.mkdtempSync(join(tmpdir(), 'nuum-workspace-')))
  t.after(() => fs.rmSync(base, { recursive: true, force: true }))
  for (const name of ['room', 'room/sub', 'outside', 'closed']) fs.mkdirSync(join(base, name))
  fs.writeFileSync(join(base, 'room/in.txt'), 'inside\n')
  fs.writeFileSync(join(base, 'outside/secret'), 'OUTSIDE\n')
  fs.writeFileSync(join(base, 'closed/memory'), 'CLOSED\n')
  const room = join(base, 'room')
  const zones: Zones = {
    place: 'a_1',
    cwd: room,
    rooms: [{ path: room, access: 'rw', trusted: true, kind: 'scratch' }],
    denied: [join(base, 'closed')],
    shellHome: room,
    spool: base,
    mode: 'auto',
  }
  const workspace = createWorkspace(zones, policyOptions(join(base, 'home'), process.platform))
  const at = (path: string, access: Access): Place => {
    const located = workspace.locate(path, access)
    assert.ok(located.ok, located.ok ? '' : located.error.message)
    return located.value
  }
  return { base, room, zones, workspace, at }
}

function makePipe(path: string): void {
  execFileSync(findSystemProgram('mkfifo') ?? 'no mkfifo', [path])
}

test('traversal in every spelling is judged by where it leads', { skip: notPosix }, (t) => {
  const { base, workspace, at } = bench(t)
  fs.symlinkSync('sub', join(base, 'room/inner-link'))
  for (const [path, verdict] of [
    ['in.txt', 'allow'],
    ['./sub/../in.txt', 'allow'],
    ['inner-link', 'allow'],
    ['new/deep/file', 'allow'],
    ['../outside/secret', 'ask'],
    ['sub/../../outside/secret', 'ask'],
    [`${base}/room/../outside/secret`, 'ask'],
    ['inner-link/../../outside/secret', 'ask'],
    ['..', 'ask'],
    ['../closed/memory', 'deny'],
    [`${base}//closed///memory`, 'deny'],
    [`${base}/closed`, 'deny'],
    ['/proc/self/environ', 'deny'],
    ['/dev/null', 'deny'],
  ] as const)
    assert.equal(at(path, 'read').verdict, verdict, path)
  assert.equal(workspace.locate('a\0b', 'read').ok, false)
  assert.equal(workspace.locate('x'.repeat(5000), 'read').ok, false)
})

test('D12: links out of the room are seen through, for reading and writing; links inside it work', { skip: notPosix }, (t) => {
  const { base, room, workspace, at } = bench(t)
  fs.symlinkSync(join(base, 'outside'), join(room, 'outbox'))
  fs.symlinkSync(join(base, 'closed/memory'), join(room, 'mem.txt'))
  fs.symlinkSync('in.txt', join(room, 'alias.txt'))
  fs.symlinkSync(join(base, 'outside/not-there'), join(room, 'dangling'))
  fs.symlinkSync('loop-b', join(room, 'loop-a'))
  fs.symlinkSync('loop-a', join(room, 'loop-b'))
  assert.equal(at('outbox/secret', 'read').verdict, 'ask')
  assert.equal(at('outbox/new-file', 'write').verdict, 'ask')
  assert.equal(at('mem.txt', 'read').verdict, 'deny')
  for (const path of ['dangling', 'dangling/x', 'loop-a']) assert.equal(workspace.locate(path, 'write').ok, false, path)
  const through = workspace.write(at('alias.txt', 'write'), Buffer.from('changed\n'))
  assert.ok(through.ok)
  assert.equal(fs.readFileSync(join(room, 'in.txt'), 'utf8'), 'changed\n')
  assert.ok(fs.lstatSync(join(room, 'alias.txt')).isSymbolicLink())
})

test('what is not allowed can’t be used; what a person allowed is exactly that path', (t) => {
  const { base, workspace, at } = bench(t)
  const place = at('../outside/secret', 'read')
  assert.equal(workspace.read(place, 100).ok, false)
  const read = workspace.read(approved(place), 100)
  assert.equal(read.ok && read.value.bytes.toString(), 'OUTSIDE\n')
  const closed = approved(at(join(base, 'closed/memory'), 'read'))
  assert.equal(workspace.read(closed, 100).ok, false)
})

test('D12: a file or folder swapped for a link between check and use is noticed', { skip: notPosix }, (t) => {
  const { base, room, workspace, at } = bench(t)
  fs.writeFileSync(join(room, 'sub/f'), 'mine\n')
  const [toRead, toWrite, toList, toCreate] = [at('sub/f', 'read'), at('sub/f', 'write'), at('sub', 'read'), at('sub/n/m', 'write')]
  fs.renameSync(join(room, 'sub'), join(room, 'kept'))
  fs.symlinkSync(join(base, 'outside'), join(room, 'sub'))
  fs.writeFileSync(join(base, 'outside/f'), 'OUTSIDE\n')
  assert.equal(workspace.read(toRead, 100).ok, false)
  assert.equal(workspace.write(toWrite, Buffer.from('x')).ok, false)
  assert.equal(workspace.entries(toList).ok, false)
  assert.equal(workspace.write(toCreate, Buffer.from('x')).ok, false)
  assert.deepEqual(fs.readdirSync(join(base, 'outside')).toSorted(), ['f', 'secret'])
  assert.equal(fs.readFileSync(join(base, 'outside/f'), 'utf8'), 'OUTSIDE\n')
  const last = at('in.txt', 'read')
  fs.rmSync(join(room, 'in.txt'))
  fs.symlinkSync(join(base, 'outside/secret'), join(room, 'in.txt'))
  assert.equal(workspace.read(last, 100).ok, false)
})

test('a race of links against reads and writes never reaches outside', {
  skip: process.platform === 'linux' ? false : 'needs the swap of Linux',
}, async (t) => {
  const { base, room, workspace } = bench(t)
  fs.writeFileSync(join(room, 'sub/secret'), 'inside\n')
  fs.symlinkSync(join(base, 'outside'), join(room, 'evil'))
  const swapper = spawn(
    '/bin/sh',
    ['-c', 'cd "$0" && while :; do mv -T sub a && mv -T evil sub && mv -T sub evil && mv -T a sub; done 2>/dev/null', room],
    { stdio: 'ignore' },
  )
  t.after(() => swapper.kill('SIGKILL'))
  let [inside, refused] = [0, 0]
  for (let at = 0; at < 3000; at++) {
    const located = workspace.locate('sub/secret', at % 2 === 0 ? 'read' : 'write')
    if (!located.ok || located.value.verdict !== 'allow') {
      refused++
    } else if (at % 2 === 0) {
      const read = workspace.read(located.value, 100)
      if (read.ok) assert.equal(read.value.bytes.toString(), 'inside\n')
      if (read.ok) inside++
    } else workspace.write(located.value, Buffer.from('inside\n'))
    if (at % 50 === 0) await new Promise((resolve) => setTimeout(resolve, 1))
  }
  assert.equal(fs.readFileSync(join(base, 'outside/secret'), 'utf8'), 'OUTSIDE\n')
  assert.deepEqual(fs.readdirSync(join(base, 'outside')), ['secret'])
  assert.ok(inside > 0, `no read got through (${refused} refused): the race tests nothing`)
})

test('pipes, sockets and devices neither hang nor open', { skip: notPosix }, async (t) => {
  const { base, room, workspace, at } = bench(t)
  makePipe(join(room, 'pipe'))
  const server = createServer().listen(join(base, 'room/sock'))
  await new Promise((resolve) => server.once('listening', resolve))
  t.after(() => server.close())
  for (const name of ['pipe', 'sock', 'sub']) {
    assert.equal(workspace.read(at(name, 'read'), 100).ok, false, name)
    assert.equal(workspace.write(at(name, 'write'), Buffer.from('x')).ok, false, name)
  }
  assert.ok(workspace.read(at('in.txt', 'read'), 100).ok)
})

test('D13: writing a file with a second name outside leaves the other one as it was', { skip: notPosix }, (t) => {
  const { base, room, workspace, at } = bench(t)
  fs.linkSync(join(base, 'outside/secret'), join(room, 'inner'))
  const written = workspace.write(at('inner', 'write'), Buffer.from('mine\n'))
  assert.equal(written.ok && written.value.unlinkedCopies, 1)
  assert.equal(fs.readFileSync(join(base, 'outside/secret'), 'utf8'), 'OUTSIDE\n')
  assert.equal(fs.readFileSync(join(room, 'inner'), 'utf8'), 'mine\n')
})

test('a write keeps the mode, makes missing folders, leaves no temporary file and no empty moment', { skip: notPosix }, (t) => {
  const { room, workspace, at } = bench(t)
  fs.chmodSync(join(room, 'in.txt'), 0o750)
  assert.ok(workspace.write(at('in.txt', 'write'), Buffer.from('new')).ok)
  assert.equal(fs.statSync(join(room, 'in.txt')).mode & 0o7777, 0o750)
  assert.ok(workspace.write(at('a/b/c/d.txt', 'write'), Buffer.from('deep')).ok)
  assert.equal(fs.readFileSync(join(room, 'a/b/c/d.txt'), 'utf8'), 'deep')
  assert.deepEqual(fs.readdirSync(room).toSorted(), ['a', 'in.txt', 'sub'])
  assert.equal(workspace.write(at('in.txt/x', 'write'), Buffer.from('x')).ok, false)
})

test('D18: a write on what has changed since is a conflict, and nothing is lost', (t) => {
  const { room, workspace, at } = bench(t)
  const seen = hashOf(Buffer.from('inside\n'))
  assert.ok(workspace.write(at('in.txt', 'write'), Buffer.from('first\n'), seen).ok)
  const second = workspace.write(at('in.txt', 'write'), Buffer.from('second\n'), seen)
  assert.equal(second.ok === false && second.error.kind, 'conflict')
  assert.equal(fs.readFileSync(join(room, 'in.txt'), 'utf8'), 'first\n')
  assert.equal(workspace.write(at('in.txt', 'write'), Buffer.from('x'), null).ok, false)
})

test('no descriptor is left open, whatever happens', { skip: process.platform === 'linux' ? false : 'counts in /proc' }, (t) => {
  const { room, workspace, at } = bench(t)
  makePipe(join(room, 'pipe'))
  const open = fs.readdirSync('/proc/self/fd').length
  for (const path of ['in.txt', 'pipe', 'sub', 'missing', 'sub/x/y', 'in.txt/z']) {
    const [read, write] = [at(path, 'read'), at(path, 'write')]
    workspace.read(read, 100)
    workspace.entries(read)
    workspace.write(write, Buffer.from('x'), 'not-the-hash')
  }
  assert.equal(fs.readdirSync('/proc/self/fd').length, open)
})
