import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createAccess } from './access.ts'

function make() {
  let n = 0
  return createAccess(
    'the-token',
    () => 4123,
    () => `secret-${++n}`,
  )
}
const at = (path: string) => new URL(path, 'http://localhost')

test('only this computer’s own names are this server, with its own port', () => {
  const { isLocal } = make()
  for (const host of ['127.0.0.1:4123', 'localhost:4123', 'LOCALHOST:4123', '[::1]:4123']) assert.equal(isLocal({ host }), true, host)
  for (const host of [
    undefined,
    '',
    'evil.example',
    'evil.example:4123',
    '127.0.0.1',
    '127.0.0.1:4124',
    'localhost.evil.example:4123',
    '127.0.0.1:4123.evil.example',
    '0.0.0.0:4123',
    '127.1:4123',
    'localhost.:4123',
  ])
    assert.equal(isLocal({ host }), false, String(host))
})

test('a page of another origin is refused, also under the right Host', () => {
  const { isLocal } = make()
  const host = '127.0.0.1:4123'
  for (const origin of ['http://127.0.0.1:4123', 'http://localhost:4123', 'HTTP://LOCALHOST:4123'])
    assert.equal(isLocal({ host, origin }), true, origin)
  for (const origin of [
    '',
    'null',
    'http://evil.example',
    'https://127.0.0.1:4123',
    'http://127.0.0.1',
    'http://127.0.0.1:4124',
    'http://localhost:4123.evil.example',
    'file://',
  ])
    assert.equal(isLocal({ host, origin }), false, origin)
})

test('the token is taken by header and by address; a wrong one is not mended by a right one elsewhere', () => {
  const access = make()
  assert.equal(access.isSignedIn({ authorization: 'Bearer the-token' }, at('/')), true)
  assert.equal(access.isSignedIn({}, at('/?token=the-token')), true)
  for (const [headers, path] of [
    [{}, '/'],
    [{ authorization: 'Bearer wrong' }, '/'],
    [{ authorization: 'Bearer ' }, '/'],
    [{ authorization: 'Basic the-token' }, '/'],
    [{ authorization: 'the-token' }, '/'],
    [{ authorization: 'Bearer wrong' }, '/?token=the-token'],
    [{}, '/?token='],
    [{}, '/?token=the-token2'],
    [{}, '/?TOKEN=the-token'],
    [{ cookie: 'nuum_4123=the-token' }, '/'],
  ] as const)
    assert.equal(access.isSignedIn(headers, at(path)), false, JSON.stringify([headers, path]))
})

test('a one-time code gives a cookie once; the cookie is bound to the port and hidden from pages', () => {
  const access = make()
  const code = access.newCode()
  const other = access.newCode()
  assert.equal(access.redeem('guessed'), null)
  const cookie = access.redeem(code) ?? ''
  assert.match(cookie, /^nuum_4123=[^;]+; Path=\/; HttpOnly; SameSite=Strict$/)
  assert.equal(access.redeem(code), null, 'used')
  const pair = cookie.split(';')[0] ?? ''
  assert.equal(access.isSignedIn({ cookie: pair }, at('/')), true)
  assert.equal(access.isSignedIn({ cookie: `a=b; ${pair}; c=d` }, at('/')), true)
  assert.equal(access.isSignedIn({ cookie: pair.replace('4123', '4124') }, at('/')), false)
  assert.equal(access.isSignedIn({ cookie: `${pair}x` }, at('/')), false)
  assert.equal(access.isSignedIn({ cookie: `x${pair}` }, at('/')), false)
  assert.ok(access.redeem(other), 'each code stands for itself')
})
