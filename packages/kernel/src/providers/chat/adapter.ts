/** Chat Completions as a wire: headers, and what to try when a server does not know a field. */
import type { ModelTarget } from '@nuum/protocol'
import type { ModelFailure } from '../model.ts'
import type { Dialect, WireFormat } from '../wire.ts'
import { createChatDecoder } from './decode.ts'
import { encodeChat, isOpenRouter, probeChat } from './encode.ts'
import { validateChat } from './validate.ts'

export const chatWire: WireFormat = {
  path: 'chat/completions',
  modelsPath: 'models',
  framing: 'events',
  encode: encodeChat,
  validate: validateChat,
  headers: (target: ModelTarget): Record<string, string> => ({
    ...(target.apiKey === undefined || target.apiKey.trim() === '' ? {} : { authorization: `Bearer ${target.apiKey.trim()}` }),
    // A router that stays with one server finds its cache warm.
    ...(target.cacheKey !== undefined && isOpenRouter(target) ? { 'x-session-id': target.cacheKey } : {}),
  }),
  decoder: createChatDecoder,
  probe: probeChat,
  adapt(failure: ModelFailure, dialect: Dialect): Dialect | null {
    if (failure.kind !== 'bad_request') return null
    const said = `${failure.raw ?? ''} ${failure.message}`
    if (dialect.includeUsage && /stream_options|include_usage/i.test(said)) return { ...dialect, includeUsage: false }
    if (dialect.maxTokensField === undefined && /use '?"?max_completion_tokens/i.test(said))
      return { ...dialect, maxTokensField: 'max_completion_tokens' }
    if (dialect.thinking === 'asked' && /set reasoning_effort to '?"?none/i.test(said)) return { ...dialect, thinking: 'off' }
    if (dialect.thinking !== 'unsaid' && /reasoning_effort|reasoning\.effort|thinking\.type/i.test(said) && !/reasoning_content/i.test(said))
      return { ...dialect, thinking: 'unsaid' }
    return null
  },
}
