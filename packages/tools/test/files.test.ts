import assert from 'node:assert/strict'
import * as fs from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { bench } from './bench.ts'

test('read: numbered lines, ranges, and how to go on', async (t) => {
  const { call, put } = bench(t)
  put('a.txt', 'one\r\ntwo\nthree')
  assert.equal((await call('read', { path: 'a.txt' })).text, '[mixed line ends (LF and CRLF)]\n1\tone\n2\ttwo\n3\tthree')
  put('b.txt', Array.from({ length: 5000 }, (_, at) => `l${at + 1}\n`).join(''))
  const part = await call('read', { path: 'b.txt', from: 10, lines: 2 })
  assert.equal(part.text, '10\tl10\n11\tl11\n[4989 more lines; read on with from: 12]')
  assert.match((await call('read', { path: 'b.txt' })).text, /\[3000 more lines; read on with from: 2001\]$/)
  assert.equal((await call('read', { path: 'b.txt', from: 5001 })).ok, false)
  put('empty', '')
  assert.equal((await call('read', { path: 'empty' })).text, '(the file is empty)')
  put('long', `${'😀'.repeat(3000)}\n`)
  assert.ok((await call('read', { path: 'long' })).text.isWellFormed())
})

test('read: encodings are said, binary files refused plainly, images and PDF said to be not shown yet', async (t) => {
  const { call, put } = bench(t)
  put('utf16', Buffer.from('\ufeffhé\n', 'utf16le'))
  assert.equal((await call('read', { path: 'utf16' })).text, '[encoding utf-16le]\n1\thé')
  put('latin', Buffer.from('caf\xe9\n', 'latin1'))
  assert.equal((await call('read', { path: 'latin' })).text, '[not valid UTF-8; shown as Latin-1]\n1\tcafé')
  put('bin', Buffer.from([1, 2, 0, 3]))
  const binary = await call('read', { path: 'bin' })
  assert.ok(!binary.ok && /binary file \(4 bytes\), not text/.test(binary.text))
  put('x.png', Buffer.from([0x89, 0x50, 0x4e, 0x47, 0]))
  assert.match((await call('read', { path: 'x.png' })).text, /PNG image.*can’t be shown to you yet/)
  put('x.pdf', '%PDF-1.7\n')
  assert.match((await call('read', { path: 'x.pdf' })).text, /PDF document.*can’t be shown to you yet/)
  for (const path of ['missing', '.']) assert.equal((await call('read', { path })).ok, false)
})

test('read output:<callId> goes on in a long result of the log, with its origin', async (t) => {
  const { call } = bench(t)
  const output = await call('read', { path: 'output:e_9.0', from: 9, lines: 1 })
  assert.deepEqual([output.text, output.origin], ['9\tline 9\n[1 more lines; read on with from: 10]', 'foreign'])
})

test('write: creates with folders, replaces, tells the bytes, shows a diff', async (t) => {
  const { call, get } = bench(t)
  const created = await call('write', { path: 'a/b.txt', content: 'one\n' })
  assert.equal(created.text, 'Created a/b.txt (4 bytes).')
  assert.equal(created.origin, 'own')
  const replaced = await call('write', { path: 'a/b.txt', content: 'two 你\n' })
  assert.equal(replaced.text, 'Replaced a/b.txt (8 bytes).')
  assert.match(String(replaced.meta?.['diff']), /-one\n\+two 你/)
  assert.equal(get('a/b.txt'), 'two 你\n')
})

test('D15: edit keeps CRLF, BOM, encoding and a missing final newline; the replacement is literal', async (t) => {
  const { call, put, room } = bench(t)
  put('crlf', 'a\r\nb\r\nc\r\n')
  await call('edit', { path: 'crlf', old: 'a\nb', new: 'a\nX' })
  put('bom', '\ufeffone\ntwo')
  await call('edit', { path: 'bom', old: 'one', new: '$& $1' })
  put('utf16', Buffer.from('\ufeffhé\r\nx', 'utf16le'))
  await call('edit', { path: 'utf16', old: 'hé', new: '你' })
  put('latin', Buffer.from('caf\xe9', 'latin1'))
  await call('edit', { path: 'latin', old: 'caf', new: 'Caf' })
  const bytes = (name: string): Buffer => fs.readFileSync(join(room, name))
  assert.deepEqual(bytes('crlf'), Buffer.from('a\r\nX\r\nc\r\n'))
  assert.deepEqual(bytes('bom'), Buffer.from('\ufeff$& $1\ntwo'))
  assert.deepEqual(bytes('utf16'), Buffer.from('\ufeff你\r\nx', 'utf16le'))
  assert.deepEqual(bytes('latin'), Buffer.from('Caf\xe9', 'latin1'))
  assert.equal((await call('edit', { path: 'latin', old: 'Caf', new: '你' })).ok, false)
})

test('edit: the text must be there, once unless all; what can’t be done changes nothing', async (t) => {
  const { call, put, get } = bench(t)
  put('f', 'x = 1\nx = 1\n')
  for (const args of [
    { old: 'y', new: 'z' },
    { old: 'x = 1', new: 'z' },
    { old: 'x = 1\nx = 1', new: 'x = 1\nx = 1' },
  ]) {
    const output = await call('edit', { path: 'f', ...args })
    assert.equal(output.ok, false)
    assert.equal(get('f'), 'x = 1\nx = 1\n')
  }
  assert.match((await call('edit', { path: 'f', old: 'x = 1', new: 'z' })).text, /2 times in f \(lines 1, 2\)/)
  assert.equal((await call('edit', { path: 'f', old: 'x = 1', new: 'z', all: true })).text, 'Changed f in 2 places.')
  assert.equal(get('f'), 'z\nz\n')
  assert.match((await call('edit', { path: 'none', old: 'a', new: 'b' })).text, /does not exist. Use write/)
})

test('D18: a file that changed since it was read is not edited or overwritten', async (t) => {
  const { call, put, get } = bench(t)
  put('f', 'one\ntwo\n')
  await call('read', { path: 'f' })
  put('f', 'one\ntwo\nby somebody else\n')
  for (const [name, args] of [
    ['edit', { path: 'f', old: 'one', new: '1' }],
    ['write', { path: 'f', content: 'mine' }],
  ] as const) {
    const output = await call(name, args)
    assert.ok(!output.ok && output.text.includes('changed since you read it'))
  }
  assert.equal(get('f'), 'one\ntwo\nby somebody else\n')
  await call('read', { path: 'f' })
  assert.ok((await call('edit', { path: 'f', old: 'one', new: '1' })).ok)
  assert.ok((await call('edit', { path: 'f', old: 'two', new: '2' })).ok)
})

test('D18: many edits of one file at once all land or say so', async (t) => {
  const { call, put, get } = bench(t)
  put('f', Array.from({ length: 20 }, (_, at) => `line-${at};\n`).join(''))
  const outputs = await Promise.all(Array.from({ length: 20 }, (_, at) => call('edit', { path: 'f', old: `line-${at};`, new: `done-${at};` })))
  assert.equal(outputs.filter((output) => output.ok).length, get('f').match(/done-/g)?.length)
})

test('list: folders first, links named, odd names in one line', async (t) => {
  const { call, put, room } = bench(t)
  put('z/x', '1')
  put('a.txt', 'hello')
  put('new\nline', '')
  fs.symlinkSync('a.txt', join(room, 'link'))
  assert.equal((await call('list', {})).text, `${room}:\nz/\na.txt  5\nlink (link)\n"new\\nline"  0`)
  assert.equal((await call('list', { path: 'a.txt' })).ok, false)
  assert.equal((await call('list', { path: 'nowhere' })).ok, false)
})
