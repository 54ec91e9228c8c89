import assert from 'node:assert/strict'
import { test } from 'node:test'
import { COMMANDS, matchCommands } from './commands.ts'

test('a slash offers the commands that can be done now, letters narrow them', () => {
  assert.deepEqual(
    matchCommands('/', false),
    COMMANDS.filter((command) => command !== 'stop'),
  )
  assert.deepEqual(matchCommands('/', true), ['find', 'export', 'model', 'stop'])
  assert.deepEqual(matchCommands('/F', false), ['fresh', 'find'])
  assert.deepEqual(matchCommands('/export ', false), ['export'])
})

test('a path, a sentence or a second line is a message', () => {
  for (const text of ['', 'fresh', '/usr/bin', '/fresh now', ' /fresh', '/fresh\nmore', '/nothing']) assert.deepEqual(matchCommands(text, false), [])
})
