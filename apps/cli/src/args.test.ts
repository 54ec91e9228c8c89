import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Command, near, parseCommand, parseFolder, splitCommand, wholeNumber } from './args.ts'
import { CommandError } from './failure.ts'

const action = (args: readonly [number, number], options = {}) => ({ usage: 'nuum x', summary: '', args, options, run: async () => 0 })
const send: Command<void> = {
  name: 'send',
  actions: {
    '': action([1, 9], {
      wait: { type: 'boolean', help: '' },
      attach: { type: 'string', multiple: true, help: '' },
      persona: { type: 'string', help: '' },
    }),
  },
}
const folders: Command<void> = { name: 'folders', verbAt: 1, actions: { '': action([1, 1]), grant: action([2, 2]), revoke: action([2, 2]) } }
const agents: Command<void> = {
  name: 'agents',
  actions: { '': action([0, 0]), create: action([1, 1], { model: { type: 'string', help: '' } }), rm: action([1, 1]) },
}

function refusal(run: () => unknown): string {
  try {
    run()
  } catch (cause) {
    assert.ok(cause instanceof CommandError)
    assert.equal(cause.failure.kind, 'usage')
    return cause.failure.message
  }
  return assert.fail('nothing was refused')
}

test('a message that begins with a dash and holds blanks, or is a negative number, is text', () => {
  const { parsed } = parseCommand(send, ['ada', '- buy milk', '-5', '--wait', '--persona', '-- be brief'])
  assert.deepEqual(parsed.args, ['ada', '- buy milk', '-5'])
  assert.equal(parsed.text('persona'), '-- be brief')
  assert.equal(parsed.flag('wait'), true)
})

test('what follows -- is text, and - alone is text', () => {
  assert.deepEqual(parseCommand(send, ['ada', '-', '--', '--wait']).parsed.args, ['ada', '-', '--wait'])
})

test('an option may be given more than once where it says so', () => {
  assert.deepEqual(parseCommand(send, ['ada', 'x', '--attach', 'a', '--attach=b c']).parsed.list('attach'), ['a', 'b c'])
})

test('an unknown option is refused and the near one named', () => {
  assert.match(
    refusal(() => parseCommand(send, ['ada', 'x', '--wiat'])),
    /knows no option --wiat\. Did you mean --wait\?/,
  )
  assert.doesNotMatch(
    refusal(() => parseCommand(send, ['ada', 'x', '--zzzzz'])),
    /Did you mean/,
  )
})

test('an option of another verb is refused: rm takes no --model', () => {
  assert.equal(
    refusal(() => parseCommand(agents, ['rm', 'ada', '--model', 'x/y'])),
    '`nuum agents rm` takes no --model.',
  )
})

test('the verb is found in its place, and a wrong one named with the near one', () => {
  assert.deepEqual(parseCommand(folders, ['ada', 'grant', '/tmp']).parsed.args, ['ada', '/tmp'])
  assert.equal(parseCommand(folders, ['grant']).verb, '')
  assert.match(
    refusal(() => parseCommand(folders, ['ada', 'garnt', '/tmp'])),
    /Did you mean grant\?/,
  )
  assert.match(
    refusal(() => parseCommand(agents, ['craete', 'x'])),
    /Did you mean create\?/,
  )
  assert.match(
    refusal(() => parseCommand(agents, ['constructor', 'x'])),
    /knows no "constructor"/,
  )
})

test('too few and too many words are refused, unless help is asked for', () => {
  assert.match(
    refusal(() => parseCommand(folders, [])),
    /something is missing/,
  )
  assert.match(
    refusal(() => parseCommand(folders, ['ada', 'grant', 'a', 'b'])),
    /at most 2 words/,
  )
  assert.equal(parseCommand(folders, ['--help']).parsed.flag('help'), true)
})

test('global options may stand before the command', () => {
  const isValue = (word: string) => word === '--home'
  assert.deepEqual(splitCommand(['--json', '--home', 'x', 'agents', 'rm'], isValue), { name: 'agents', rest: ['--json', '--home', 'x', 'rm'] })
  assert.deepEqual(splitCommand(['--json'], isValue), { name: undefined, rest: ['--json'] })
})

test('a folder carries its marks in any order, and a drive letter is none', () => {
  const same = (path: string) => path
  assert.deepEqual(parseFolder('/a:ro:mine', same), { path: '/a', access: 'ro', mine: true })
  assert.deepEqual(parseFolder('/a:mine:ro', same), { path: '/a', access: 'ro', mine: true })
  assert.deepEqual(parseFolder('C:\\a', same), { path: 'C:\\a' })
  assert.match(
    refusal(() => parseFolder(':ro', same)),
    /names no folder/,
  )
})

test('numbers are whole and in range', () => {
  assert.equal(wholeNumber('--tail', '12', 0, 20), 12)
  for (const text of ['-1', '1.5', '21', 'x', '']) refusal(() => wholeNumber('--tail', text, 0, 20))
})

test('the near name is near: a swap, a missing letter, a beginning', () => {
  const known = ['transcript', 'settings', 'send', 'serve']
  assert.equal(near('setings', known), ' Did you mean settings?')
  assert.equal(near('sned', known), ' Did you mean send?')
  assert.equal(near('trans', known), ' Did you mean transcript?')
  assert.equal(near('frobnicate', known), '')
})
