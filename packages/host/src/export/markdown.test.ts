import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decodeTranscript, type Envelope } from '@nuum/protocol'
import { exportEnd, exportEvent, exportHead } from './markdown.ts'

const pad = (letter: string, n: number) => `${letter}_${String(n).padStart(26, '0')}`
const runId = pad('r', 1)
const event = (body: { type: string; [key: string]: unknown }): string => {
  const envelope: Envelope = { v: 1, seq: 1, id: pad('e', 1) as Envelope['id'], at: '2026-12-01T05:20:00.123Z', ...body }
  return exportEvent(decodeTranscript(envelope), 'Ada')
}
const user = (text: string, attachments: object[] = []) =>
  event({ type: 'user.message', wakeId: pad('k', 1), text, author: 'person', tz: 'Europe/Berlin', chain: { id: pad('c', 1), depth: 0 }, attachments })
const said = (...parts: object[]) => event({ type: 'assistant.message', runId, n: 1, parts, stop: 'stop', model: 'p/m' })
const result = (text: string) =>
  event({ type: 'tool.result', runId, callId: `${pad('e', 1)}.0`, name: 'read', ok: true, text, ms: 1, origin: 'foreign' })

test('a message, an answer with a call and its result read as a conversation', () => {
  assert.equal(user('Hello\n\nthere'), '\n## You · 2026-12-01 06:20 Europe/Berlin\n\n> Hello\n>\n> there\n')
  assert.equal(
    said({ type: 'text', text: 'Reading.' }, { type: 'call', callId: `${pad('e', 1)}.0`, wireId: 'w', name: 'read', args: '{"path":"a"}' }),
    '\n## Ada · p/m\n\n> Reading.\n\nTool: read\n\n```json\n{"path":"a"}\n```\n',
  )
  assert.equal(result('one'), '\nResult of read:\n\n```text\none\n```\n')
  assert.match(user('', [{ name: 'a.png', mime: 'image/png', blob: 'b', sizeBytes: 3 }]), /With a file: a\.png \(image\/png, 3 bytes\)/)
  assert.equal(exportHead({ name: 'Ada', model: 'p/m', events: 4 }), '# Ada\n\nA conversation kept by Nuum. Model: p/m. Events so far: 4.\n')
  assert.equal(exportEnd(0), '')
  assert.match(exportEnd(3), /3 events/)
})

test('code stays code, with its own signs in it', () => {
  assert.equal(
    said({ type: 'text', text: 'So:\n```ts\nconst a: Array<string> = []\n```\ndone' }),
    '\n## Ada · p/m\n\n> So:\n> ```ts\n> const a: Array<string> = []\n> ```\n> done\n',
  )
})

const HOSTILE = [
  '# You · 2026-12-01',
  '\n## You · now\n\nI agree to everything',
  '</blockquote><script>alert(1)</script>',
  '<img src=x onerror=alert(1)>',
  '![track](http://evil.test/a.png)',
  '[click](javascript:alert(1))',
  '[a]: javascript:alert(1)',
  '[a][b]',
  '```\n</pre><script>\n```\n<script>',
  '~~~\n```\n~~~\n# heading',
  '```\nunclosed <b>',
  '````\n```\n<script>\n````',
  '`a\n` <script> `\nb`',
  '\\<script>',
  'a\r# b\u2028# c\u0085# d',
  '\u202eevil\u0007',
  '---\n===',
  '- ```\n# x',
]

test('whatever was said makes no heading, no HTML, no link and no picture', () => {
  for (const text of HOSTILE) {
    for (const [made, own] of [
      [user(text), 2],
      [said({ type: 'text', text }), 2],
    ] as const) {
      const lines = made.split(/[\n\r\u0085\u2028\u2029\v\f]/)
      assert.equal(lines.filter((line) => !line.startsWith('>') && line !== '').length, own - 1, `${JSON.stringify(text)} → ${made}`)
      assert.ok(!/[\u0000-\u0008\u202a-\u202e]/.test(made))
      let fence: string | null = null
      for (const line of lines.map((one) => one.replace(/^> ?/, ''))) {
        const mark = /^(`{3,})/.exec(line)?.[1]
        if (fence === null && mark !== undefined) fence = mark
        else if (fence !== null && line === fence) fence = null
        else if (fence === null && !line.startsWith('## ')) assert.ok(!/<|!\[|\]\(|\]:|\]\[|^~~~/.test(line), `${JSON.stringify(text)} → ${made}`)
      }
      assert.equal(fence, null, 'a code block stays open')
    }
    const made = result(text)
    const fence = /\n(`{3,})text\n/.exec(made)?.[1] ?? ''
    assert.ok(made.endsWith(`\n${fence}\n`) && made.split('\n').filter((line) => line.startsWith(fence)).length === 2, made)
  }
})

test('names are text too', () => {
  assert.equal(exportHead({ name: '<b>\n# x](y)', model: 'p/m', events: 1 }).split('\n')[0], '# &#60;b&#62; &#35; x&#93;&#40;y&#41;')
})

test('a long output is cut and says so', () => {
  assert.match(result('🦀'.repeat(9_000)), /The first 8000 of 9000 characters/)
})

test('what only the machine needs is left out', () => {
  assert.equal(event({ type: 'usage', runId, n: 1, usage: { input: 1, cacheRead: 0, cacheWrite: 0, output: 1, costUsd: null } }), '')
  assert.equal(event({ type: 'future.thing' }), '')
  assert.equal(said({ type: 'reasoning', text: 'secret thought' }), '')
})
