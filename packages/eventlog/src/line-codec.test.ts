import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import type { DecodedLine } from './line-codec.ts'
import { decodeLine, encodeDraft, encodeLine, wellFormed } from './line-codec.ts'

const record = (seq: number, text = 'x') => JSON.stringify({ v: 1, seq, id: `e_${seq}`, at: '2026-12-01T05:20:00.000Z', type: 'test.text', text })
const show = (line: DecodedLine) => {
  if (line.kind === 'event') return `event ${line.event.seq}`
  return line.kind === 'blank' ? 'blank' : `${line.problem} ${line.events.map((event) => event.seq).join()}`.trim()
}

describe('decoding a line', () => {
  const tricky = record(1, '{"a":"}{"} \\ }{ {"v":1,')
  const cases: readonly (readonly [string, string, string])[] = [
    ['a record', record(1), 'event 1'],
    ['a record with CR before its LF', `${record(1)}\r`, 'event 1'],
    ['a record behind a BOM', `\ufeff${record(1)}`, 'event 1'],
    ['nothing', '', 'blank'],
    ['white space', ' \t\r', 'blank'],
    ['two records glued', record(1) + record(2), 'glued 1,2'],
    ['three records glued with spaces between', `${record(1)} ${record(2)} ${record(3)}`, 'glued 1,2,3'],
    ['glued records whose strings look like the border', tricky + record(2, '}{"v":1'), 'glued 1,2'],
    ['NULs alone', '\0'.repeat(400), 'nul_bytes'],
    ['NULs, then a record', `${'\0'.repeat(400)}${record(2)}`, 'nul_bytes 2'],
    ['NULs in the middle of two records', `${record(1).slice(0, 20)}${'\0'.repeat(9)}${record(2)}`, 'nul_bytes 2'],
    ['a cut record', record(1).slice(0, -9), 'not_json'],
    ['a cut record, then a whole one', record(1).slice(0, -9) + record(2), 'not_json 2'],
    ['a whole record, then a cut one', record(1) + record(2).slice(0, 30), 'not_json 1'],
    ['a cut record that nests an event-like object', `{"v":1,"seq":1,"nested":${record(9)},"te`, 'not_json'],
    ['a cut record that nests event-like objects in a list', `{"v":1,"seq":1,"nested":[${record(8)},${record(9)}`, 'not_json'],
    ['JSON that is no event', '{"hello":1}', 'not_an_event'],
    ['an event without a seq', '{"v":1,"id":"e_1","at":"x","type":"y"}', 'not_an_event'],
    ['a number', '12', 'not_an_event'],
    ['null', 'null', 'not_an_event'],
    ['prose', 'hello {world}', 'not_json'],
  ]
  for (const [name, text, wanted] of cases) it(`${name}: ${wanted}`, () => assert.equal(show(decodeLine(text)), wanted))

  it('recovers what was glued, with its content whole', () => {
    const line = decodeLine(tricky + record(2))
    assert.deepEqual(line.kind === 'bad' && line.events, [JSON.parse(tricky), JSON.parse(record(2))])
  })

  it('a line of one million record beginnings does not take forever', () => {
    assert.equal(show(decodeLine(`x${'{"v":1'.repeat(300_000)}`)), 'not_json')
  })

  it('never throws, whatever the bytes', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.string({ unit: 'binary' }), fc.string({ unit: fc.constantFrom('{', '}', '"', '\\', '\0', '{"v":', record(3)) })),
        (text) => {
          decodeLine(text)
        },
      ),
    )
  })

  it('glued records of any content all come back', () => {
    const texts = fc.array(fc.string({ unit: fc.constantFrom('{', '}', '"', '\\', '}{', '{"v":1,', 'a', '\n', '\u2028') }), {
      minLength: 2,
      maxLength: 5,
    })
    fc.assert(
      fc.property(texts, (all) => {
        const line = decodeLine(all.map((text, place) => record(place + 1, text)).join(''))
        assert.deepEqual(line.kind === 'bad' && line.events.map((event) => event['text']), all)
      }),
    )
  })
})

describe('encoding a line', () => {
  const stamp = { seq: 3, id: 'e_3', at: '2026-12-01T05:20:00.000Z' }

  it('one event is one line, whatever its strings hold', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string(), (text, key) => {
        const body = { type: 'test.text', [`x${key}`]: text }
        const line = encodeLine(stamp, encodeDraft(body))
        assert.equal(line.indexOf('\n'), line.length - 1)
        assert.ok(line.isWellFormed() && Buffer.from(line).toString() === line)
        assert.deepEqual(JSON.parse(line), wellFormed({ v: 1, ...stamp, ...body }))
      }),
    )
  })

  it('makes values well-formed as JSON would see them', () => {
    const value = { list: ['\ud800', undefined], date: new Date(0), none: undefined, '\udc00': null }
    assert.deepEqual(JSON.parse(JSON.stringify(wellFormed(value))), { list: ['\ufffd', null], date: '1970-01-01T00:00:00.000Z', '\ufffd': null })
  })
})
