import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Zones } from '@nuum/protocol'
import { judgeCommand } from './command-policy.ts'

const ROOM = '/home/ada/.nuum/agents/a_1/scratch'
const zones: Zones = {
  place: 'a_1',
  cwd: ROOM,
  rooms: [{ path: ROOM, access: 'rw', trusted: true, kind: 'scratch' }],
  denied: ['/home/ada/.nuum', '/srv/closed'],
  shellHome: `${ROOM}/.home`,
  spool: '/x',
  mode: 'auto',
}
const verdict = (command: string, sandboxed = true, mode: Zones['mode'] = 'auto'): string =>
  judgeCommand(command, { ...zones, mode }, { sandboxed }).verdict

test('a command that runs nuum is refused', () => {
  for (const command of [
    'nuum agents',
    'ls; nuum send ada hi',
    'npx nuum serve',
    '/usr/local/bin/nuum x',
    './node_modules/.bin/nuum x',
    'FOO=1 nuum x',
    'env A=b nuum x',
    'sudo nuum x',
    '$(nuum agents)',
    '`nuum agents`',
    'true && "nuum" x',
    "n'u'um x",
    'n\\uum x',
    'xargs nuum',
    'node bin/nuum.mjs serve',
    'npm exec nuum -- x',
    'true|nuum',
    'if true; then nuum x; fi',
    '( nuum )',
    '{ nuum; }',
  ])
    assert.equal(verdict(command), 'deny', command)
})

test('a command that names the data folder or what is closed is refused; the own room is not', () => {
  for (const command of [
    'cat ~/.nuum/secrets.bin',
    'ls $HOME/.nuum',
    'ls "${HOME}/.nuum/agents"',
    'cat /home/ada/.nuum/host.lock',
    'echo $NUUM_HOME',
    'cat /home/ada/.nuum/agents/a_2/scratch/x',
    'cat </srv/closed/x',
  ]) {
    assert.equal(verdict(command), 'deny', command)
  }
  for (const command of [`cat ${ROOM}/notes.txt`, `cd ${ROOM}`, 'ls /srv/closedown']) assert.equal(verdict(command), 'allow', command)
})

test('the word alone harms nobody', () => {
  for (const command of [
    'grep -r nuum src',
    'echo "nuum is nice"',
    'cd ~/projects/nuum',
    'git clone ../nuum x',
    'cat nuum.md',
    'ls nuum-x',
    'mkdir nuum && cd nuum',
  ])
    assert.equal(verdict(command), 'allow', command)
})

test('without a sandbox each command is asked for, in read-only mode none can be run; mode ask asks always', () => {
  assert.equal(verdict('ls', false), 'ask')
  assert.equal(verdict('ls', false, 'read-only'), 'deny')
  assert.equal(verdict('ls', true, 'read-only'), 'allow')
  assert.equal(verdict('ls', true, 'ask'), 'ask')
  assert.equal(verdict('nuum x', false), 'deny')
})
