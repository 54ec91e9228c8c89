/** OpenAI's Responses API as a wire: headers, and what to try when a model or a server does not know a setting. */
import type { ModelTarget } from '@nuum/protocol'
import type { ModelFailure } from '../model.ts'
import type { Dialect, WireFormat } from '../wire.ts'
import { createResponsesDecoder } from './decode.ts'
import { encodeResponses, probeResponses } from './encode.ts'
import { validateResponses } from './validate.ts'

export const responsesWire: WireFormat = {
  path: 'responses',
  modelsPath: 'models',
  framing: 'events',
  encode: encodeResponses,
  validate: validateResponses,
  headers: (target: ModelTarget): Record<string, string> =>
    target.apiKey === undefined || target.apiKey.trim() === '' ? {} : { authorization: `Bearer ${target.apiKey.trim()}` },
  decoder: createResponsesDecoder,
  probe: probeResponses,
  adapt(failure: ModelFailure, dialect: Dialect): Dialect | null {
    if (failure.kind !== 'bad_request' && failure.kind !== 'auth') return null
    const said = `${failure.raw ?? ''} ${failure.message}`
    if (dialect.includeUsage && /stream_options|include_obfuscation/i.test(said)) return { ...dialect, includeUsage: false }
    // Summaries are for organisations that OpenAI has verified; everything else works without.
    if (dialect.showThinking && /reasoning[._ ]summar/i.test(said)) return { ...dialect, showThinking: false }
    if (failure.kind === 'auth' || /input\[\d+\]|item '?rs_|without its required|duplicate item/i.test(said)) return null
    const isSetting = /reasoning\.effort|'reasoning'|encrypted content|reasoning\.encrypted_content|unsupported (?:parameter|value)[^.]*reasoning/i
    return dialect.thinking === 'asked' && isSetting.test(said) ? { ...dialect, thinking: 'unsaid' } : null
  },
}
