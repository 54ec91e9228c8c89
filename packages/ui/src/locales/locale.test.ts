import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createLocale, LANGUAGES, pickLanguage } from './locale.ts'

const shape = (value: unknown): unknown =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(
        Object.entries(value)
          .sort(([a], [b]) => (a < b ? -1 : 1))
          .map(([key, inner]) => [key, shape(inner)]),
      )
    : typeof value

test('both languages have the same texts', () => {
  assert.deepEqual(shape(LANGUAGES.zh), shape(LANGUAGES.en))
})

test('the browser chooses the language', () => {
  assert.deepEqual([['zh-TW', 'en'], ['en-GB'], ['de'], []].map(pickLanguage), ['zh', 'en', 'en', 'en'])
})

test('a date that cannot be read is shown as it is', () => {
  const locale = createLocale('en')
  assert.equal(locale.time('nonsense'), 'nonsense')
  assert.equal(locale.full('nonsense'), 'nonsense')
})
