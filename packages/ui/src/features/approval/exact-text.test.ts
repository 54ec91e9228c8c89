import assert from 'node:assert/strict'
import { test } from 'node:test'
import { summariseCall } from '../tool-call/call-summary.ts'
import { exactPieces, plainOutput } from './exact-text.ts'
import { safeHref } from '../markdown/safe-href.ts'

test('characters that cannot be seen, or turn the direction, are named', () => {
  const named = (text: string) =>
    exactPieces(text)
      .filter((piece) => piece.named)
      .map((piece) => piece.text)
  assert.deepEqual(named('rm \u202etxt.sh\u200b\u0000'), ['U+202E', 'U+200B', 'U+0000'])
  assert.deepEqual(named('a\u00a0b\u3164\ufe0f\u{e0041}\u{e0100}'), ['U+00A0', 'U+3164', 'U+FE0F', 'U+E0041', 'U+E0100'])
  assert.deepEqual(named('plain\ttext\nin 中文 and العربية 👍'), [])
})

test('the pieces joined are the text, apart from the names', () => {
  assert.equal(
    exactPieces('a\u202eb c')
      .filter((piece) => !piece.named)
      .map((piece) => piece.text)
      .join(''),
    'ab c',
  )
})

test('terminal output loses colours and can move no cursor and turn no line', () => {
  assert.equal(plainOutput('\u001b[31mred\u001b[0m \u001b]0;title\u0007x\r\ny\u0000 \u202ez'), 'red x\ny␀ ⟨U+202E⟩z')
})

test('only http, https and mailto are live links', () => {
  const dead = [
    'javascript:alert(1)',
    ' JaVaScRiPt:alert(1)',
    'java\nscript:alert(1)',
    'data:text/html,x',
    'file:///etc/passwd',
    'smb://h/x',
    'ms-msdt:x',
    'search-ms:x',
    'vscode://x',
    '//host/p.png',
    '/rel',
    '',
    'blob:http://x/y',
    'vbscript:x',
  ]
  assert.deepEqual(
    dead.map(safeHref),
    dead.map(() => null),
  )
  assert.deepEqual(['http://localhost.evil.example/', 'https://a.b', 'mailto:a@b.c'].map(safeHref), [
    'http://localhost.evil.example/',
    'https://a.b/',
    'mailto:a@b.c',
  ])
})

test('a tool call is told in one line, whatever its arguments are', () => {
  assert.deepEqual(summariseCall('shell', '{"command":"npm  test\\n"}'), { icon: 'shell', what: 'npm test' })
  assert.deepEqual(summariseCall('grep', '{"pattern":"a|b","path":"src"}'), { icon: 'search', what: 'a|b src' })
  assert.deepEqual(summariseCall('read', '{"pa'), { icon: 'read', what: '{"pa' })
  assert.deepEqual(summariseCall('odd', '[]'), { icon: 'tool', what: '[]' })
  assert.deepEqual(summariseCall('odd', '{}'), { icon: 'tool', what: '' })
})
