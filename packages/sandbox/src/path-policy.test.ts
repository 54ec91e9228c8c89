import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Zones } from '@nuum/protocol'
import { absolutePath, judgePath, policyOptions } from './path-policy.ts'

const HOME = '/home/ada'
const NUUM = `${HOME}/.nuum`
const ROOM = `${NUUM}/agents/a_1/scratch`
const zones: Zones = {
  place: 'a_1',
  cwd: ROOM,
  shellHome: `${ROOM}/.home`,
  spool: `${NUUM}/tmp`,
  mode: 'auto',
  rooms: [
    { path: ROOM, access: 'rw', trusted: true, kind: 'scratch' },
    { path: '/work/repo', access: 'rw', trusted: true, kind: 'grant' },
    { path: '/work/docs', access: 'ro', trusted: false, kind: 'grant' },
    { path: '/work/repo/vendor', access: 'ro', trusted: false, kind: 'knowledge' },
  ],
  denied: [NUUM, '/work/repo/closed'],
}
const linux = policyOptions(HOME, 'linux')
const mac = policyOptions(HOME, 'darwin')
const verdict = (path: string, access: 'read' | 'write', options = linux, of = zones): string => judgePath(of, path, access, options).verdict

test('reading and writing, place by place', () => {
  const table: [path: string, read: string, write: string][] = [
    [`${ROOM}/a.txt`, 'allow', 'allow'],
    [ROOM, 'allow', 'allow'],
    ['/work/repo/src/x.ts', 'allow', 'allow'],
    ['/work/repository/x', 'ask', 'ask'],
    ['/work/docs/a.md', 'allow', 'ask'],
    ['/work/repo/vendor/lib.c', 'allow', 'ask'],
    ['/work/repo/closed', 'deny', 'deny'],
    ['/work/repo/closed/deep/x', 'deny', 'deny'],
    [NUUM, 'deny', 'deny'],
    [`${NUUM}/secrets.bin`, 'deny', 'deny'],
    [`${NUUM}/agents/a_1/memory/journal.jsonl`, 'deny', 'deny'],
    [`${NUUM}/agents/a_2/scratch/x`, 'deny', 'deny'],
    [`${ROOM}x/y`, 'deny', 'deny'],
    ['/proc/1/environ', 'deny', 'deny'],
    ['/sys/kernel', 'deny', 'deny'],
    ['/dev/sda', 'deny', 'deny'],
    ['/run/user/1000/bus', 'deny', 'deny'],
    ['/usr/include/stdio.h', 'allow', 'ask'],
    ['/opt/x', 'allow', 'ask'],
    ['/etc/passwd', 'allow', 'ask'],
    ['/etc/shadow', 'ask', 'ask'],
    [`${HOME}/.cargo/bin/rustc`, 'allow', 'ask'],
    [`${HOME}/.cargo/credentials.toml`, 'ask', 'ask'],
    [`${HOME}/.ssh/id_ed25519`, 'ask', 'ask'],
    [`${HOME}/notes.md`, 'ask', 'ask'],
    ['/', 'ask', 'ask'],
    ['/tmp/x', 'ask', 'ask'],
  ]
  for (const [path, read, write] of table) assert.deepEqual([path, verdict(path, 'read'), verdict(path, 'write')], [path, read, write])
})

test('G9: writing what git or a shell runs by itself is asked for, also in a writable room', () => {
  for (const path of [
    '/work/repo/.git/config',
    '/work/repo/.git/hooks/post-checkout',
    '/work/repo/.Git/config',
    '/work/repo/sub/.GIT/HEAD',
    '/work/repo/.git./config',
    '/work/repo/git~1/config',
    `${ROOM}/.home/.bashrc`,
    '/work/repo/.envrc',
  ]) {
    assert.equal(verdict(path, 'write'), 'ask', path)
    assert.equal(verdict(path, 'read'), 'allow', path)
  }
  for (const path of ['/work/repo/.gitignore', '/work/repo/git/config', '/work/repo/x.git.md']) assert.equal(verdict(path, 'write'), 'allow', path)
})

test('D14: another case is the same place where the disk folds case, and another place where it does not', () => {
  const upper = '/WORK/Repo/Closed/x'
  assert.equal(verdict(upper, 'read', mac), 'deny')
  assert.equal(verdict(upper, 'read', linux), 'ask')
  assert.equal(verdict('/work/REPO/a', 'write', mac), 'allow')
  assert.equal(verdict('/Home/ada/.NUUM/secrets.bin', 'read', mac), 'deny')
  const ssh = judgePath(zones, `${HOME}/.SSH/id_x`, 'read', mac)
  assert.ok(ssh.verdict === 'ask' && ssh.reason.includes('SSH keys'))
})

test('a composed and a decomposed name are the same place', () => {
  const of: Zones = { ...zones, denied: ['/work/repo/caf\u00e9'] }
  assert.equal(verdict('/work/repo/cafe\u0301/x', 'read', linux, of), 'deny')
})

test('an equal or inner denied folder wins over a room; a grant inside a denied folder stays closed', () => {
  const of: Zones = {
    ...zones,
    rooms: [...zones.rooms, { path: `${NUUM}/granted`, access: 'rw', trusted: true, kind: 'grant' }],
    denied: [...zones.denied, ROOM],
  }
  assert.equal(verdict(`${NUUM}/granted/x`, 'read', linux, of), 'deny')
  assert.equal(verdict(`${ROOM}/x`, 'read', linux, of), 'deny')
})

test('modes: ask asks before each change, read-only refuses each change', () => {
  assert.equal(verdict(`${ROOM}/x`, 'write', linux, { ...zones, mode: 'ask' }), 'ask')
  assert.equal(verdict(`${ROOM}/x`, 'read', linux, { ...zones, mode: 'ask' }), 'allow')
  assert.equal(verdict(`${ROOM}/x`, 'write', linux, { ...zones, mode: 'read-only' }), 'deny')
  assert.equal(verdict('/elsewhere/x', 'write', linux, { ...zones, mode: 'read-only' }), 'deny')
})

test('relative paths, dots and the tilde', () => {
  const at = (path: string): string => absolutePath(path, '/work/repo', HOME)
  assert.deepEqual(['a', './a/../b', '../docs', '/x/../y', '~', '~/n', '~other/x', ''].map(at), [
    '/work/repo/a',
    '/work/repo/b',
    '/work/docs',
    '/y',
    HOME,
    `${HOME}/n`,
    '/work/repo/~other/x',
    '/work/repo',
  ])
})

test('a file that would make a folder a repository is asked for', () => {
  const room = { path: '/srv/project', access: 'rw', trusted: true, kind: 'grant' } as const
  const zones: Zones = { place: 'a_1', cwd: '/srv/project', shellHome: '/srv/h', spool: '/srv/s', mode: 'auto', rooms: [room], denied: [] }
  assert.equal(judgePath(zones, '/srv/project/x/HEAD', 'write', { userHome: '/home/ada', foldCase: false }).verdict, 'ask')
  assert.equal(judgePath(zones, '/srv/project/x/HEADER', 'write', { userHome: '/home/ada', foldCase: false }).verdict, 'allow')
})
