import assert from 'node:assert/strict'
import { test } from 'node:test'
import { LOCAL_TOOLS, parseArgs, toToolDef } from './index.ts'

const tool = (name: string) => {
  const found = LOCAL_TOOLS.find((candidate) => candidate.name === name)
  assert.ok(found)
  return found
}

test('the tools have the arguments that scripts rely on, sorted by name, and all their schemas are small', () => {
  const defs = LOCAL_TOOLS.map(toToolDef)
  const signatures = defs.map(({ name, inputSchema }) => {
    const required = inputSchema['required'] as string[] | undefined
    return `${name} ${Object.keys(inputSchema['properties'] as object)
      .map((key) => (required?.includes(key) ? key : `${key}?`))
      .join(' ')}`
  })
  assert.deepEqual(signatures, [
    'edit path old new all?',
    'glob pattern path?',
    'grep pattern path? context?',
    'list path?',
    'read path from? lines?',
    'shell command timeoutMs? needs?',
    'write path content',
  ])
  for (const { inputSchema } of defs) assert.deepEqual([inputSchema['type'], inputSchema['additionalProperties']], ['object', false])
  assert.ok(JSON.stringify(defs).length < 6000)
})

test('arguments are strict: unknown keys are refused with the allowed ones', () => {
  const refused = parseArgs(tool('read'), '{"path":"a","offset":3}')
  assert.equal(refused.ok === false && refused.error.message, 'read was not run: unknown argument "offset". Allowed: {path, from?, lines?}.')
  for (const raw of ['{"path":3}', '[]', '"x"', 'null', '{"path":"a","from":0}', '{"path":"a","from":1.5}'])
    assert.equal(parseArgs(tool('read'), raw).ok, false, raw)
})

test('no arguments at all are an empty object; broken JSON is an error the model can act on', () => {
  assert.deepEqual(parseArgs(tool('list'), ''), { ok: true, value: {} })
  assert.deepEqual(parseArgs(tool('list'), ' \n'), { ok: true, value: {} })
  const cut = parseArgs(tool('write'), '{"path":"a","content":"half')
  assert.match(cut.ok ? '' : cut.error.message, /not complete JSON.*not run/)
})
