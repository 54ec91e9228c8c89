/** The parts of a Host that hang on files alone: settings, keys, models of the person's own, providers. */
import { readFile, rename } from 'node:fs/promises'
import { readStateFile, writeStateFile } from '@nuum/eventlog'
import { NuumError } from '@nuum/protocol'
import { openKeyStore } from './providers/keys.ts'
import { createLocalModels } from './providers/local-models.ts'
import { createOverrides } from './providers/model-overrides.ts'
import { createProviders } from './providers/providers.ts'
import { openSettings } from './settings/store.ts'
import type { Paths } from './storage/paths.ts'

type Base = { readonly env: NodeJS.ProcessEnv; readonly now: () => number; readonly paths: Paths; readonly readOnly: string | null }

const LOCAL_PATIENCE_MS = 2_000

export type Parts = Awaited<ReturnType<typeof openParts>>

export async function openParts({ env, now, paths, readOnly }: Base) {
  const settings = await openSettings({
    read: () => readStateFile(paths.settings, { parse: (value) => value }),
    write: async (value) => {
      if (readOnly !== null) throw new NuumError('newer_format', readOnly)
      await writeStateFile(paths.settings, value)
    },
  })
  const text = (path: string) =>
    readFile(path, 'utf8').catch((cause: NodeJS.ErrnoException) => (cause.code === 'ENOENT' ? null : Promise.reject(cause)))
  const keys = await openKeyStore({
    readSealed: () => text(paths.secrets),
    writeSealed: (sealed) => writeStateFile(paths.secrets, JSON.parse(sealed)),
    setAside: () => rename(paths.secrets, `${paths.secrets}.unreadable-${now()}`),
    readKeyFile: async () => readStateFile(paths.secretsKey, { parse: String }),
    writeKeyFile: (secret) => writeStateFile(paths.secretsKey, secret),
    passphrase: env['NUUM_PASSPHRASE'],
  })
  const overrides = createOverrides(paths.models)
  const local = createLocalModels({ fetch: globalThis.fetch, timeoutMs: LOCAL_PATIENCE_MS })
  const providers = createProviders({ settings, keys, env, overrides: overrides.get, local })
  return { settings, keys, providers, overrides }
}
