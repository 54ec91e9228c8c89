import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkName, nameKey } from './names.ts'

test('free text is a name, whatever it would mean as a path', () => {
  const table = [
    ['Ada', 'Ada'],
    ['  Ada \t Lovelace\n', 'Ada Lovelace'],
    ['../../x', '../../x'],
    ['con', 'con'],
    ['a/b', 'a/b'],
    ['.', '.'],
    ['..', '..'],
    ['C:\\Windows', 'C:\\Windows'],
    ['研究员', '研究员'],
    ['🦀', '🦀'],
    ['Zoe\u0308', 'Zoë'],
    ['Ada 2', 'Ada 2'],
    ['You know who', 'You know who'],
    ['Users', 'Users'],
    ['Rooter', 'Rooter'],
    ['Sister', 'Sister'],
    ['<img src=x onerror=alert(1)>', '<img src=x onerror=alert(1)>'],
    ['🦀'.repeat(60), '🦀'.repeat(60)],
  ] as const
  for (const [raw, kept] of table) assert.deepEqual(checkName(raw), { ok: true, value: kept }, JSON.stringify(raw))
})

test('no name, one that is too long, invisible or like an id is refused with what to do', () => {
  const table = [
    ['', /is needed/],
    [' \t\n ', /is needed/],
    ['x'.repeat(61), /at most 60.*has 61/],
    ['x'.repeat(300), /has 300/],
    ['Ada\u0000', /control or invisible/],
    ['Ada\u200b', /control or invisible/],
    ['\u202eadA', /control or invisible/],
    ['Ada\ud83e', /control or invisible/],
    ['\ue000', /control or invisible/],
    [`a_${'0'.repeat(26)}`, /like an id/],
    [`w_${'0'.repeat(26)}`, /like an id/],
  ] as const
  for (const [raw, message] of table) {
    const checked = checkName(raw)
    assert.equal(checked.ok, false, JSON.stringify(raw))
    if (!checked.ok) {
      assert.deepEqual([checked.error.kind, checked.error.field], ['invalid', 'name'])
      assert.match(checked.error.message, message)
    }
  }
})

test('nobody is called like the person or like Nuum, in any spelling that looks so', () => {
  for (const name of [
    'user',
    'User',
    ' U S E R ',
    'u.s.e.r',
    'YOU',
    'system',
    'nuum',
    'N.u.u.m',
    '[Nuum]',
    'ｎｕｕｍ',
    'ＨＯＳＴ',
    'u͏ser', // a combining mark that nobody sees
    'usеr', // Cyrillic е
    'уоu', // Cyrillic у, о
    'Ѕystem', // Cyrillic Ѕ
    'Νuum', // Greek capital Nu
    'Υou', // Greek capital Upsilon
    'Ηost', // Greek capital Eta
    'Нost', // Cyrillic capital En
    'Μe', // Greek capital Mu
    'Ρеrѕоn',
    'Αll',
    'ΑDΜΙΝ', // Greek capitals for A, M, I, N
    'Εveryone',
    'h0st',
    '$ystem',
    'r00t',
    'у0u',
    'тооl',
  ]) {
    const checked = checkName(name)
    assert.equal(checked.ok, false, name)
    if (!checked.ok) assert.match(checked.error.message, /could be taken for/)
  }
})

test('two spellings of one name have one key, two names have two', () => {
  for (const other of ['ADA', ' ada ', 'ａｄａ', 'Ada\u00a0'.trim()]) assert.equal(nameKey(other), nameKey('Ada'), other)
  assert.equal(nameKey('Zoe\u0308'), nameKey('ZOË'))
  assert.equal(nameKey('a  b'), nameKey('A\tB'))
  for (const other of ['Ada.', 'Аda', 'Ada 2', 'Adá']) assert.notEqual(nameKey(other), nameKey('Ada'), other)
})
