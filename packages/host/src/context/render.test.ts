/** The time before a message: in the zone logged with it, the same words for ever, never a throw. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createLocalTime } from './render.ts'

test('a time is told in its own zone; an unknown zone is UTC; a time that was edited away stops nothing', () => {
  const localTime = createLocalTime()
  const told = [
    ['2026-12-01T23:05:00.123Z', 'Europe/Berlin', '2026-12-02 00:05 Europe/Berlin'],
    ['2026-07-01T22:30:00.000Z', 'Europe/Berlin', '2026-07-02 00:30 Europe/Berlin'],
    ['2026-12-01T23:05:00.123Z', 'Asia/Kathmandu', '2026-12-02 04:50 Asia/Kathmandu'],
    ['2026-12-01T23:05:00.123Z', 'No/Where', '2026-12-01 23:05 UTC'],
    ['2026-12-01T23:05:00.123Z', '', '2026-12-01 23:05 UTC'],
    ['yesterday', 'UTC', 'time unknown'],
  ] as const
  for (const [at, zone, words] of [...told, ...told]) assert.equal(localTime(at, zone), words)
})
