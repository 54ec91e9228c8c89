/** Providers: where models are reached, with which key, and whether that works. A key goes in and never comes out. */
import { ModelId, NuumError } from '@nuum/protocol'
import type { App } from '../app.ts'
import { CATALOGUE } from '../providers/catalogue.ts'
import { BUILTIN_PROVIDERS, ProviderConfig, usualWire } from '../providers/config.ts'
import type { HostHandlers } from './handlers.ts'
import { assertWritable } from './writable.ts'

type Own =
  | 'provider/detect'
  | 'provider/list'
  | 'provider/set'
  | 'provider/remove'
  | 'provider/setKey'
  | 'provider/removeKey'
  | 'provider/test'
  | 'provider/models'

export function providerHandlers(app: App): Pick<HostHandlers, Own> {
  const { providers, settings, keys } = app
  const changed = () => {
    app.tell({ type: 'provider.changed' })
    app.scheduler.mended()
  }

  async function listed(name: string): Promise<string[]> {
    const target = app.testTarget(name, undefined)
    if (!target.ok || target.value.profile.wire === 'guide') return []
    const { models } = await app.kernel.call('provider/models', { target: target.value })
    return models.map((model) => `${name}/${model}`)
  }

  return {
    'provider/detect': async () => ({ servers: await providers.detect() }),
    'provider/list': () => ({ providers: providers.list() }),
    'provider/set': async ({ name, wire, baseUrl, keyEnv, noKey, headers, anthropicVersion }) => {
      assertWritable(app)
      if (name === 'guide') throw new NuumError('invalid', 'The built-in guide needs no settings.', { field: 'name' })
      const before = settings.providers()[name] ?? BUILTIN_PROVIDERS[name]
      const url = baseUrl ?? before?.baseUrl
      const usual = baseUrl === undefined || settings.providers()[name] !== undefined ? undefined : usualWire(name, baseUrl)
      const chosen = wire ?? usual ?? before?.wire
      if (chosen === undefined || chosen === 'guide')
        throw new NuumError(
          'invalid',
          `Which wire does ${name} speak? chat (OpenAI Chat Completions and compatible), responses (OpenAI Responses), messages (Anthropic Messages) or ollama.`,
          { field: 'wire' },
        )
      if (url === undefined) throw new NuumError('invalid', `Where is ${name}? Give its address with --base-url.`, { field: 'baseUrl' })
      checkUrl(url)
      if (keyEnv !== undefined && !/^[A-Za-z_][A-Za-z0-9_]*$/.test(keyEnv))
        throw new NuumError('invalid', 'Give the NAME of an environment variable, never the key itself.', { field: 'keyEnv' })
      const keyFields =
        keyEnv !== undefined
          ? { keyEnv, noKey: false }
          : noKey === true
            ? { noKey: true }
            : { ...(before?.keyEnv === undefined ? {} : { keyEnv: before.keyEnv }), ...(before?.noKey === undefined ? {} : { noKey: before.noKey }) }
      const config = ProviderConfig.parse({
        wire: chosen,
        baseUrl: url,
        ...keyFields,
        ...((headers ?? before?.headers) === undefined ? {} : { headers: headers ?? before?.headers }),
        ...((anthropicVersion ?? before?.anthropicVersion) === undefined ? {} : { anthropicVersion: anthropicVersion ?? before?.anthropicVersion }),
      })
      await settings.setProvider(name, config)
      changed()
      return { provider: providers.view(name) }
    },
    'provider/remove': async ({ name }) => {
      assertWritable(app)
      if (settings.providers()[name] === undefined)
        throw new NuumError(
          'not_found',
          BUILTIN_PROVIDERS[name] === undefined
            ? `There is no provider "${name}".`
            : `${name} comes with Nuum and has no settings of yours to remove.`,
        )
      await settings.setProvider(name, null)
      await keys.remove(name)
      changed()
      return {}
    },
    'provider/setKey': async ({ name, key }) => {
      assertWritable(app)
      providers.requireConfig(name)
      const trimmed = key.trim()
      if (!/^[\x21-\x7e]{4,1000}$/.test(trimmed))
        throw new NuumError('invalid', 'That does not look like a key: it has blanks, line breaks or other characters that no key has.', {
          field: 'key',
        })
      await keys.set(name, trimmed)
      changed()
      return { provider: providers.view(name) }
    },
    'provider/removeKey': async ({ name }) => {
      assertWritable(app)
      providers.requireConfig(name)
      await keys.remove(name)
      changed()
      return { provider: providers.view(name) }
    },
    'provider/test': async ({ name, model }) => {
      const target = app.testTarget(name, model)
      if (!target.ok) return { ok: false, detail: target.error.message, failure: target.error }
      if (target.value.profile.wire === 'guide') return { ok: true, detail: 'The built-in guide is always there. It is no AI.' }
      return app.redactor.value(await app.kernel.call('provider/test', { target: target.value }))
    },
    'provider/models': async ({ name, fresh }) => {
      if (name !== undefined) providers.requireConfig(name)
      const known = name === undefined ? Object.keys(CATALOGUE) : providers.modelIds(name)
      const mine = name === undefined ? providers.names().flatMap((one) => providers.modelIds(one)) : []
      const live = fresh === true && name !== undefined ? await listed(name) : []
      const ids = [...new Set([...known, ...mine, ...live])].filter((id) => ModelId.safeParse(id).success)
      return { models: ids.map((id) => providers.describe(id)) }
    },
  }
}

function checkUrl(text: string): void {
  const written = /^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `http://${text}`
  const url = URL.canParse(written) ? new URL(written) : null
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:'))
    throw new NuumError('invalid', `"${text}" is no web address; it begins with http:// or https://.`, { field: 'baseUrl' })
  const isName = /[.:]/.test(url.hostname) || url.port !== '' || url.hostname === 'localhost'
  if (!/^https?:\/\//i.test(text) && !isName)
    throw new NuumError('invalid', `"${text}" is no web address, for example http://127.0.0.1:8080/v1.`, { field: 'baseUrl' })
}
