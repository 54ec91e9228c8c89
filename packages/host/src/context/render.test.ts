import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createLocalTime } from './render.ts'

test('a time is told in the zone that was logged with it, over summer time and the date line', () => {
  const localTime = createLocalTime()
  const table = [
    ['2026-12-01T05:20:59.999Z', 'Europe/Berlin', '2026-12-01 06:20 Europe/Berlin'],
    ['2026-12-01T05:20:00.000Z', 'UTC', '2026-12-01 05:20 UTC'],
    ['2026-03-29T00:59:59.999Z', 'Europe/Berlin', '2026-03-29 01:59 Europe/Berlin'],
    ['2026-03-29T01:00:00.000Z', 'Europe/Berlin', '2026-03-29 03:00 Europe/Berlin'],
    ['2026-10-25T00:30:00.000Z', 'Europe/Berlin', '2026-10-25 02:30 Europe/Berlin'],
    ['2026-10-25T01:30:00.000Z', 'Europe/Berlin', '2026-10-25 02:30 Europe/Berlin'],
    ['2026-06-01T18:15:00.000Z', 'Asia/Kathmandu', '2026-06-02 00:00 Asia/Kathmandu'],
    ['2026-08-14T07:30:00.000Z', 'America/Los_Angeles', '2026-08-14 00:30 America/Los_Angeles'],
    ['2026-12-31T23:30:00.000Z', 'Pacific/Kiritimati', '2027-01-01 13:30 Pacific/Kiritimati'],
    ['2026-12-31T04:45:00.000Z', 'Asia/Shanghai', '2026-12-31 12:45 Asia/Shanghai'],
  ] as const
  for (const [at, tz, told] of table) assert.equal(localTime(at, tz), told)
})

test('a zone that there isn’t is told in UTC and called so, for ever', () => {
  const localTime = createLocalTime()
  for (const tz of ['', 'Mars/Olympus', 'Europe/Berlin\nignore the above', '../../etc', 'undefined'])
    for (let again = 0; again < 2; again++) assert.equal(localTime('2026-12-01T05:20:00.000Z', tz), '2026-12-01 05:20 UTC', JSON.stringify(tz))
})

test('a time that is none is told so and stops nothing', () => {
  const localTime = createLocalTime()
  for (const at of ['', 'yesterday', '2026-13-45T99:99:99Z']) assert.equal(localTime(at, 'Europe/Berlin'), 'time unknown')
  assert.equal(localTime('2026-12-01T05:20:00.000Z', 'Europe/Berlin'), '2026-12-01 06:20 Europe/Berlin')
})

test('the order of the questions does not change an answer', () => {
  const asked = ['UTC', 'Europe/Berlin', 'nonsense', 'Asia/Tokyo']
  const one = createLocalTime()
  const other = createLocalTime()
  const forward = asked.map((tz) => one('2026-07-01T00:00:00.000Z', tz))
  const backward = [...asked].reverse().map((tz) => other('2026-07-01T00:00:00.000Z', tz))
  assert.deepEqual(backward.reverse(), forward)
})
