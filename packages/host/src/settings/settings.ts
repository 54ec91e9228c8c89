/**
 * App settings and each agent's own, over the table of keys. Unknown keys are refused with the near ones; unknown keys that a
 * newer version wrote are kept.
 */
import { NuumError } from '@nuum/protocol'
import { z } from 'zod'
import { SETTING_KEYS, type SettingKey } from './keys.ts'

export const SettingsFile = z.looseObject({ v: z.number().int(), values: z.record(z.string(), z.unknown()).default({}) })
export type SettingValues = Readonly<Record<string, unknown>>

export function findKey(key: string, forAgent: boolean): SettingKey {
  const found = SETTING_KEYS.find((setting) => setting.key === key)
  if (found === undefined) {
    const near = nearKeys(key)
    throw new NuumError('not_found', `There is no setting "${key}".`, {
      hint: near.length > 0 ? `Did you mean ${near.join(', ')}?` : 'nuum settings lists all keys.',
      field: 'key',
    })
  }
  if (forAgent && !found.perAgent) throw new NuumError('invalid', `"${key}" holds for all agents; set it without naming one.`, { field: 'key' })
  return found
}

export function checkValue(setting: SettingKey, value: unknown): unknown {
  const parsed = setting.shape.safeParse(value)
  if (parsed.success) return parsed.data
  throw new NuumError('invalid', `${setting.key}: ${parsed.error.issues[0]?.message ?? 'not a value it can have'}.`, {
    hint: setting.meaning,
    field: 'value',
  })
}

/** The value in force: the agent's own, else the app's, else the default. A stored value that no longer fits counts as absent. */
export function valueOf(key: string, app: SettingValues, agent: SettingValues = {}): unknown {
  const setting = SETTING_KEYS.find((known) => known.key === key)
  if (setting === undefined) throw new RangeError(`no setting ${key}`)
  for (const values of setting.perAgent ? [agent, app] : [app]) {
    const parsed = Object.hasOwn(values, key) ? setting.shape.safeParse(values[key]) : undefined
    if (parsed?.success) return parsed.data
  }
  return setting.default
}

export const numberOf = (key: string, app: SettingValues, agent?: SettingValues): number => z.number().parse(valueOf(key, app, agent))

function nearKeys(key: string): string[] {
  const wanted = key.toLowerCase()
  return SETTING_KEYS.map((setting) => ({
    key: setting.key,
    distance: Math.min(distance(wanted, setting.key.toLowerCase()), distance(wanted, setting.key.toLowerCase().split('.').at(-1) ?? '') + 1),
  }))
    .filter((near) => near.distance <= 3 || near.key.toLowerCase().includes(wanted))
    .sort((a, b) => a.distance - b.distance)
    .slice(0, 4)
    .map((near) => near.key)
}

function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, at) => at)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++)
      next.push(Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)))
    row = next
  }
  return row[b.length] ?? 0
}
