import assert from 'node:assert/strict'
import { test } from 'node:test'
import { kindOfFile } from './file-kinds.ts'

const bytes = (text: string) => Buffer.from(text, 'latin1')
const TABLE: readonly (readonly [string, string | null])[] = [
  ['\x89PNG\r\n\x1a\n\0\0\0\rIHDR', 'image/png'],
  ['\xff\xd8\xff\xe0\0\x10JFIF', 'image/jpeg'],
  ['GIF87a', 'image/gif'],
  ['GIF89a\x01\0', 'image/gif'],
  ['RIFF\x24\0\0\0WEBPVP8 ', 'image/webp'],
  ['RIFF\x24\0\0\0WAVEfmt ', null],
  ['%PDF-1.7\n', 'application/pdf'],
  [' %PDF-1.7\n', null],
  ['<svg xmlns="http://www.w3.org/2000/svg"/>', null],
  ['\x89PNG', null],
  ['', null],
  ['GIF', null],
]

test('a file is what its first bytes say', () => {
  for (const [head, kind] of TABLE) assert.equal(kindOfFile(bytes(head)), kind, JSON.stringify(head))
})
