/** Ollama's own API as a wire. A key is needed only where a proxy stands before it. */
import type { ModelTarget } from '@nuum/protocol'
import type { ModelFailure } from '../model.ts'
import type { Dialect, WireFormat } from '../wire.ts'
import { createOllamaDecoder } from './decode.ts'
import { encodeOllama, probeOllama } from './encode.ts'
import { validateOllama } from './validate.ts'

export const ollamaWire: WireFormat = {
  path: 'api/chat',
  modelsPath: 'api/tags',
  framing: 'lines',
  encode: encodeOllama,
  validate: validateOllama,
  headers: (target: ModelTarget): Record<string, string> =>
    target.apiKey === undefined || target.apiKey.trim() === '' ? {} : { authorization: `Bearer ${target.apiKey.trim()}` },
  decoder: createOllamaDecoder,
  probe: probeOllama,
  adapt(failure: ModelFailure, dialect: Dialect): Dialect | null {
    if (failure.kind !== 'bad_request') return null
    const said = `${failure.raw ?? ''} ${failure.message}`
    if (dialect.thinking === 'asked' && /does not support thinking|think value|\bthink\b/i.test(said)) return { ...dialect, thinking: 'unsaid' }
    return dialect.includeUsage && /\b(?:truncate|shift)\b/i.test(said) ? { ...dialect, includeUsage: false } : null
  },
}
