/** Plain requests to a scripted provider, without any SDK between. */
import assert from 'node:assert/strict'
import { type Rule, type ScriptedProvider, type ScriptedProviderOptions, startScriptedProvider } from '@nuum/testkit'

export type Json = { [key: string]: unknown }

export interface Answer {
  status: number
  text: string
  body: Json
  headers: Headers
}

export const messagesHeaders = { 'content-type': 'application/json', 'x-api-key': 'sk-ant-test', 'anthropic-version': '2026-10-21' }
export const bearerHeaders = { 'content-type': 'application/json', authorization: 'Bearer sk-test' }

function objectIn(text: string): Json {
  if (!text.startsWith('{') || text.includes('}\n{')) return {} // lines of JSON are for the caller
  const value: unknown = JSON.parse(text)
  return typeof value === 'object' && value !== null ? (value as Json) : {}
}

export async function post(provider: ScriptedProvider, path: string, body: unknown, headers: { [name: string]: string }): Promise<Answer> {
  const payload = typeof body === 'string' || body instanceof Uint8Array ? (body as string) : JSON.stringify(body)
  const response = await fetch(provider.url + path, { method: 'POST', headers, body: payload })
  const text = await response.text()
  return { status: response.status, text, body: objectIn(text), headers: response.headers }
}

export function messageOf(answer: Answer): string {
  const error = answer.body['error']
  if (typeof error === 'string') return error
  if (typeof error === 'object' && error !== null) return String((error as Json)['message'])
  return String(answer.body['message'] ?? answer.text)
}

/** A refusal and its neighbour: `valid` must pass where `broken` must not. */
export interface RefusalCase {
  name: string
  rule: Rule
  valid: Json
  broken: Json
  says: string | RegExp
  status?: number
  path?: string
  options?: ScriptedProviderOptions
  headers?: { [name: string]: string }
  brokenHeaders?: { [name: string]: string }
}

export async function checkRefusal(one: RefusalCase, path: string, headers: { [name: string]: string }): Promise<void> {
  const provider = await startScriptedProvider({ otherwise: { text: 'fine' }, ...one.options })
  try {
    const sent = { ...headers, ...one.headers }
    const passed = await post(provider, one.path ?? path, one.valid, sent)
    assert.equal(passed.status, 200, `the valid neighbour was refused: ${passed.text}`)
    const refused = await post(provider, one.path ?? path, one.broken, one.brokenHeaders ?? sent)
    assert.equal(provider.requests.at(-1)?.refused?.rule, one.rule, refused.text)
    if (typeof one.says === 'string') assert.equal(messageOf(refused), one.says)
    else assert.match(messageOf(refused), one.says)
    assert.equal(refused.status, one.status ?? 400)
    assert.deepEqual([provider.stats().calls, provider.stats().refused], [2, 1])
  } finally {
    await provider.close()
  }
  const lenient = await startScriptedProvider({
    otherwise: { text: 'fine' },
    ...one.options,
    also: [],
    allow: [...(one.options?.allow ?? []), one.rule],
    dialect: one.options?.dialect ?? 'openai',
  })
  try {
    await post(lenient, one.path ?? path, one.broken, one.brokenHeaders ?? { ...headers, ...one.headers })
    assert.notEqual(lenient.requests[0]?.refused?.rule, one.rule, 'the rule was switched off and still refused')
  } finally {
    await lenient.close()
  }
}
