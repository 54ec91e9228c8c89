/** `settings.json` in memory and on disk: values by key, and the providers a person named. Keys it doesn't know are kept. */
import { z } from 'zod'
import { ProviderConfig } from '../providers/config.ts'
import { oneAtATime } from '../storage/one-at-a-time.ts'
import { checkValue, findKey, numberOf, SettingsFile, type SettingValues, valueOf } from './settings.ts'

const AppSettings = SettingsFile.extend({ providers: z.record(z.string(), z.unknown()).default({}) })
type AppSettings = z.infer<typeof AppSettings>

export type Settings = {
  readonly get: (key: string) => unknown
  readonly number: (key: string) => number
  readonly values: () => SettingValues
  readonly set: (key: string, value: unknown) => Promise<unknown>
  readonly providers: () => Readonly<Record<string, ProviderConfig>>
  readonly setProvider: (name: string, config: ProviderConfig | null) => Promise<void>
}

type Deps = { readonly read: () => Promise<unknown>; readonly write: (value: unknown) => Promise<void> }

export async function openSettings({ read, write }: Deps): Promise<Settings> {
  let state: AppSettings = AppSettings.parse((await read()) ?? { v: 1 })
  const inOrder = oneAtATime()
  const save = (change: (before: AppSettings) => AppSettings) =>
    inOrder(async () => {
      const next = change(state)
      await write(next)
      state = next
    })
  return {
    get: (key) => valueOf(key, state.values),
    number: (key) => numberOf(key, state.values),
    values: () => state.values,
    async set(key, value) {
      const checked = checkValue(findKey(key, false), value)
      await save((before) => ({ ...before, values: { ...before.values, [key]: checked } }))
      return checked
    },
    providers: () => readable(state.providers),
    async setProvider(name, config) {
      await save((before) => {
        const rest = Object.fromEntries(Object.entries(before.providers).filter(([known]) => known !== name))
        return { ...before, providers: config === null ? rest : { ...rest, [name]: config } }
      })
    },
  }
}

/** An entry of a shape that this version doesn't know is kept in the file and left out here: one bad entry stops nothing else. */
function readable(providers: Readonly<Record<string, unknown>>): Record<string, ProviderConfig> {
  return Object.fromEntries(
    Object.entries(providers).flatMap(([name, raw]) => {
      const parsed = ProviderConfig.safeParse(raw)
      return parsed.success ? [[name, parsed.data]] : []
    }),
  )
}
