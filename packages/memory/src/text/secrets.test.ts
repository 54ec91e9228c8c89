/** What is a credential, and what merely speaks of one. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findSecret, hideSecrets } from './secrets.ts'

const SECRETS = [
  'prod DB password is hunter2-TEST',
  'my key is sk-test-aaaaaaaaaaaaaaaaaaaaaaaa',
  'export FOO_TOKEN=abc123def456',
  '-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----',
  'ghp_aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa',
  'Password = Tr0ub4dor&3',
  'my PIN is 4821',
  'my password is swordfish.',
  'postgres://u:p4ss@h/db',
  'AKIAIOSFODNN7EXAMPLE',
  'api key: abcd1234efgh',
  'Passwort: geheim123',
  'パスワードは hunter22',
  '密码是 abc12345',
  'Authorization: Bearer abcdefghijklmnopqrstuvwxyz',
  'ｓｋ－test-aaaaaaaaaaaaaaaaaaaaaaaa',
]
const HARMLESS = [
  'The API key is kept in the keychain',
  'Rotate the API key monthly.',
  'DB uses a password',
  'My password is strong',
  'The password is stored in 1Password',
  'The password is encrypted',
  'token limit is 8000',
  'The token is required',
  'PIN board is in the hall',
  'The secret is hard work',
  'secret santa is on 12 Dec',
  'commit 3eb6f2c5aa79fa87e90f04081343b8c8debecb80',
  'Key decision: use Postgres',
  'Passwords are rotated yearly',
]

test('credentials are found and hidden', () => {
  assert.deepEqual(
    SECRETS.filter((text) => findSecret(text) === null),
    [],
  )
  for (const text of SECRETS.slice(0, 15)) assert.match(hideSecrets(text), /\[secret\]/u, text)
  assert.doesNotMatch(SECRETS.map(hideSecrets).join(), /hunter2|swordfish|4821|MIIE|p4ss@/u)
})

test('sentences that merely mention one pass untouched', () => {
  assert.deepEqual(
    HARMLESS.filter((text) => findSecret(text) !== null || hideSecrets(text) !== text),
    [],
  )
})
