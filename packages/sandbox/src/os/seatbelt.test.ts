import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Zones } from '@nuum/protocol'
import { seatbeltProfile } from './seatbelt.ts'

const zones: Zones = {
  place: 'a_1',
  cwd: '/Users/ada/.nuum/agents/a_1/scratch',
  shellHome: '/Users/ada/.nuum/agents/a_1/scratch/.home',
  spool: '/Users/ada/.nuum/tmp',
  mode: 'auto',
  rooms: [
    { path: '/Users/ada/.nuum/agents/a_1/scratch', access: 'rw', trusted: true, kind: 'scratch' },
    { path: '/Users/ada/"odd" project', access: 'ro', trusted: true, kind: 'grant' },
  ],
  denied: ['/Users/ada/.nuum', '/Users/ada/"odd" project/closed'],
}
const places = { userHome: '/Users/ada', temporary: '/Users/ada/.nuum/agents/a_1/scratch/.home' }

test('the profile denies by default, opens the rooms, then closes what is denied (never run by us on macOS)', () => {
  const lines = seatbeltProfile(zones, places).split('\n')
  assert.deepEqual(lines.slice(0, 2), ['(version 1)', '(deny default)'])
  assert.deepEqual(lines.slice(-6), [
    '(allow file-write* (subpath "/Users/ada/.nuum/agents/a_1/scratch"))',
    '(allow file-write* (subpath "/Users/ada/.nuum/agents/a_1/scratch/.home"))',
    '(deny file-write* (regex #"^/Users/ada/\\.nuum/agents/a_1/scratch(/.*)?/\\.git/(hooks|config|config\\.worktree|commondir|info/attributes|modules|worktrees|objects/info/alternates)(/|$)"))',
    '(deny file-read* file-write* (subpath "/Users/ada/\\"odd\\" project/closed"))',
    '(deny network*)',
    '',
  ])
  assert.ok(lines.includes('(allow file-read* (subpath "/Users/ada/\\"odd\\" project"))'))
  assert.ok(!lines.some((line) => line.includes('allow') && line.includes('(subpath "/Users/ada")')))
})

test('in read-only mode nothing but the temporary folder can be written', () => {
  const writes = seatbeltProfile({ ...zones, mode: 'read-only' }, places)
    .split('\n')
    .filter((line) => line.startsWith('(allow file-write* (subpath'))
  assert.deepEqual(writes, ['(allow file-write* (subpath "/Users/ada/.nuum/agents/a_1/scratch/.home"))'])
})
