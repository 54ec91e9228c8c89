/** Anthropic's Messages API as a wire. An OAuth token goes where such tokens go, and never beside a key. */
import type { ModelTarget } from '@nuum/protocol'
import type { ModelFailure } from '../model.ts'
import type { Dialect, WireFormat } from '../wire.ts'
import { createMessagesDecoder } from './decode.ts'
import { encodeMessages, probeMessages } from './encode.ts'
import { validateMessages } from './validate.ts'

const OWN_VERSION = '2026-10-21'
const COMPATIBLE_VERSION = '2023-06-01'

export const messagesWire: WireFormat = {
  path: 'messages',
  modelsPath: 'models',
  framing: 'events',
  encode: encodeMessages,
  validate: validateMessages,
  headers(target: ModelTarget): Record<string, string> {
    const key = target.apiKey?.trim() ?? ''
    const isOwn = /^(?:https:\/\/)?(?:[^/@]*@)?api\.anthropic\.com(?:[:/]|$)/i.test(target.baseUrl.trim())
    const version = { 'anthropic-version': target.profile.anthropicVersion ?? (isOwn ? OWN_VERSION : COMPATIBLE_VERSION) }
    if (key === '') return version
    return key.startsWith('sk-ant-oat')
      ? { ...version, authorization: `Bearer ${key}`, 'anthropic-beta': 'oauth-2025-04-20' }
      : { ...version, 'x-api-key': key }
  },
  decoder: createMessagesDecoder,
  probe: probeMessages,
  /** Older models and compatible servers don't know the newest way to ask for thinking; without it they answer all the same. */
  adapt(failure: ModelFailure, dialect: Dialect): Dialect | null {
    const said = `${failure.raw ?? ''} ${failure.message}`
    const isSetting =
      /thinking|output_config|effort/i.test(said) && !/signature|thinking`? (?:or `redacted_thinking` )?blocks?|messages\.\d/i.test(said)
    return failure.kind === 'bad_request' && isSetting && dialect.thinking === 'asked' ? { ...dialect, thinking: 'unsaid' } : null
  },
}
