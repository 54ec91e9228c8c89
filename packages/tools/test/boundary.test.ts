import assert from 'node:assert/strict'
import * as fs from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import type { ShellOutcome, ToolContext } from '../src/index.ts'
import { bench } from './bench.ts'

const CALLS: readonly (readonly [string, (path: string) => Record<string, unknown>])[] = [
  ['read', (path) => ({ path })],
  ['list', (path) => ({ path })],
  ['write', (path) => ({ path, content: 'EVIL' })],
  ['edit', (path) => ({ path, old: 'SECRET', new: 'EVIL' })],
  ['grep', (path) => ({ pattern: 'SECRET', path })],
  ['glob', (path) => ({ pattern: '**', path })],
]

test('file tools reach nothing outside without a yes, and nothing closed even with one', async (t) => {
  for (const answer of ['deny', 'expired', 'allow'] as const) {
    const { base, room, call, put, asked } = bench(t, { answer })
    fs.writeFileSync(join(base, 'outside/f'), 'OUTER-SECRET\n')
    fs.writeFileSync(join(base, 'closed/f'), 'CLOSED-SECRET\n')
    put('ok', 'INNER-SECRET\n')
    for (const [name, target] of [
      ['to-outside', join(base, 'outside')],
      ['to-closed', join(base, 'closed')],
      ['to-file', join(base, 'closed/f')],
    ] as const)
      fs.symlinkSync(target, join(room, name))
    const closed = [
      '../closed/f',
      '../closed',
      `${base}/closed/f`,
      'to-closed',
      'to-closed/f',
      'to-file',
      `${base}/room/../closed/f`,
      '/proc/self/environ',
      '/proc/1/root',
      '/sys/kernel',
      '/dev/kmem',
    ]
    const outside = ['../outside/f', 'to-outside/f', `${base}/outside/f`, '~/f', '~/.ssh/id_ed25519']
    for (const [name, args] of CALLS) {
      for (const path of closed) {
        const before = asked.length
        const output = await call(name, args(path))
        assert.ok(!output.ok && !output.text.includes('SECRET'), `${name} ${path}: ${output.text}`)
        assert.equal(asked.length, before, `${name} ${path} was asked for`)
      }
      if (answer === 'allow') continue
      for (const path of outside) {
        const before = asked.length
        const output = await call(name, args(path))
        assert.ok(!output.ok && !output.text.includes('SECRET'), `${name} ${path}: ${output.text}`)
        assert.equal(asked.length, before + 1, `${name} ${path} was not asked for once`)
      }
    }
    assert.equal(fs.readFileSync(join(base, 'closed/f'), 'utf8'), 'CLOSED-SECRET\n')
    if (answer !== 'allow') assert.equal(fs.readFileSync(join(base, 'outside/f'), 'utf8'), 'OUTER-SECRET\n')
    assert.match((await call('read', { path: 'ok' })).text, /INNER-SECRET/)
    assert.ok((await call('edit', { path: 'ok', old: 'INNER', new: 'CHANGED' })).ok)
  }
})

test('a question says exactly what, once; a yes goes ahead, a no comes with its word', async (t) => {
  const yes = bench(t, { answer: 'allow' })
  fs.writeFileSync(join(yes.base, 'outside/f'), 'hello\n')
  const read = await yes.call('read', { path: '../outside/f' })
  assert.deepEqual([read.ok, read.text, read.origin], [true, '1\thello', 'foreign'])
  assert.deepEqual(yes.asked, [
    { text: `May I read ${yes.base}/outside/f? ${yes.asked[0]?.text.split('? ')[1]}`, detail: { path: join(yes.base, 'outside/f'), access: 'read' } },
  ])
  assert.ok((await yes.call('write', { path: '../outside/new', content: 'x' })).ok)
  assert.equal(fs.readFileSync(join(yes.base, 'outside/new'), 'utf8'), 'x')
  const no = bench(t, { answer: 'deny' })
  assert.match((await no.call('read', { path: '../outside/f' })).text, /did not allow.*They say: not today/)
})

test('G9: .git and start-up files are asked for, in every spelling, also in the own room', async (t) => {
  const { call, put, asked, get, room } = bench(t)
  put('.git/config', '[core]\n')
  put('sub/x', '')
  fs.symlinkSync('../.git', join(room, 'sub/link'))
  for (const path of ['.git/config', './sub/../.git/hooks/post-checkout', 'sub/link/config', '.GIT/config', '.bashrc', '.home/.bashrc', '.envrc']) {
    const before = asked.length
    assert.equal((await call('write', { path, content: 'x' })).ok, false, path)
    assert.equal(asked.length, before + 1, path)
  }
  assert.equal(get('.git/config'), '[core]\n')
  assert.ok((await call('write', { path: '.gitignore', content: 'x' })).ok)
})

test('modes: read-only refuses each change, ask asks for it', async (t) => {
  const closed = bench(t, { answer: 'allow', zones: { mode: 'read-only' } })
  assert.match((await closed.call('write', { path: 'x', content: '1' })).text, /may only read/)
  const asking = bench(t, { answer: 'allow', zones: { mode: 'ask' } })
  assert.ok((await asking.call('write', { path: 'x', content: '1' })).ok)
  assert.equal(asking.asked.length, 1)
})

test('origin: own scratch, a trusted grant, anything else', async (t) => {
  const one = bench(t, { answer: 'allow' })
  const rooms = [
    { path: one.room, access: 'rw', trusted: true, kind: 'scratch' },
    { path: join(one.base, 'outside'), access: 'ro', trusted: true, kind: 'grant' },
    { path: join(one.base, 'spool'), access: 'ro', trusted: false, kind: 'grant' },
  ] as const
  const { call } = bench(t, { zones: { cwd: one.room, rooms: [...rooms] } })
  for (const folder of ['room', 'outside', 'spool']) fs.writeFileSync(join(one.base, folder, 'f'), 'x\n')
  const origins = await Promise.all(
    ['room', 'outside', 'spool'].map(async (folder) => (await call('read', { path: join(one.base, folder, 'f') })).origin),
  )
  assert.deepEqual(origins, ['own', 'trusted', 'foreign'])
})

const outcome = (over: Partial<ShellOutcome>): ShellOutcome => ({ output: '', cut: null, exitCode: 0, note: null, cwd: '/x', ...over })
function shellBench(t: Parameters<typeof bench>[0], sandboxed: boolean, result: ShellOutcome, answer: 'allow' | 'deny', zones = {}) {
  const commands: string[] = []
  const shell: ToolContext['shell'] = { sandboxed, run: async (command) => (commands.push(command), result) }
  return { ...bench(t, { answer, shell, zones }), commands }
}

test('shell: exit code and notes are told; D3, D8', async (t) => {
  const { call } = shellBench(t, true, outcome({ exitCode: 1 }), 'deny')
  const silent = await call('shell', { command: 'false' })
  assert.deepEqual([silent.ok, silent.text], [false, '(no output)\n[exit code 1]'])
  const said = await shellBench(t, true, outcome({ output: 'hi\n' }), 'deny').call('shell', { command: 'echo hi' })
  assert.deepEqual([said.ok, said.text, said.meta?.['exitCode']], [true, 'hi', 0])
  const ended = await shellBench(t, true, outcome({ output: 'x\n', exitCode: null, note: 'timed out after 2 s and was ended' }), 'deny').call(
    'shell',
    { command: 'sleep 9' },
  )
  assert.deepEqual([ended.ok, ended.text], [false, 'x\n[timed out after 2 s and was ended]'])
  const long = await shellBench(
    t,
    true,
    outcome({ output: `${'y\n'.repeat(40_000)}END\n`, cut: { file: '/spool/x', sizeBytes: 80_004 } }),
    'deny',
  ).call('shell', { command: 'yes' })
  assert.ok(long.text.endsWith('END') && long.text.includes('output:e_1.0'))
  assert.deepEqual(long.full, { file: '/spool/x', sizeBytes: 80_004 })
})

test('without a sandbox each command is asked for, word for word; a no runs nothing', async (t) => {
  const no = shellBench(t, false, outcome({}), 'deny')
  assert.equal((await no.call('shell', { command: 'rm -rf x' })).ok, false)
  assert.deepEqual([no.commands, no.asked.map(({ detail }) => detail)], [[], [{ command: 'rm -rf x' }]])
  const yes = shellBench(t, false, outcome({}), 'allow')
  assert.ok((await yes.call('shell', { command: 'ls' })).ok)
  assert.deepEqual(yes.commands, ['ls'])
  const inside = shellBench(t, true, outcome({}), 'deny')
  assert.ok((await inside.call('shell', { command: 'ls' })).ok)
  assert.equal(inside.asked.length, 0)
  const readOnly = shellBench(t, false, outcome({}), 'allow', { mode: 'read-only' })
  assert.equal((await readOnly.call('shell', { command: 'ls' })).ok, false)
})

test('network and more folders are not there yet, and nuum is never run; each is said plainly', async (t) => {
  const { call, commands, asked } = shellBench(t, true, outcome({}), 'allow')
  assert.match((await call('shell', { command: 'curl x', needs: ['network:example.org'] })).text, /no network access/)
  assert.match((await call('shell', { command: 'ls', needs: ['read:/srv'] })).text, /more folders/)
  assert.match((await call('shell', { command: 'nuum agents' })).text, /can’t run nuum/)
  assert.equal((await call('shell', { command: 'a\0b' })).ok, false)
  await assert.rejects(call('shell', { command: 'ls', needs: ['root'] }), /must be network:HOST/)
  assert.deepEqual([commands, asked], [[], []])
})
