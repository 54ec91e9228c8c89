/**
 * API keys at rest: AES-256-GCM in `secrets.bin` (0600), sealed by a passphrase (`NUUM_PASSPHRASE`, scrypt) or else by a random
 * key file beside it (0600). The file names its sealer. No key ever leaves this module but to a run's model target.
 */
import { createCipheriv, createDecipheriv, randomBytes, scryptSync } from 'node:crypto'
import { NuumError } from '@nuum/protocol'
import { z } from 'zod'
import { oneAtATime } from '../storage/one-at-a-time.ts'

const Sealed = z.looseObject({
  v: z.literal(1),
  sealer: z.enum(['key-file', 'passphrase']),
  salt: z.string(),
  iv: z.string(),
  tag: z.string(),
  data: z.string(),
})
const Keys = z.record(z.string(), z.string())

export type KeyStoreDeps = {
  readonly readSealed: () => Promise<string | null>
  readonly writeSealed: (text: string) => Promise<void>
  readonly setAside: () => Promise<void>
  readonly readKeyFile: () => Promise<string | null>
  readonly writeKeyFile: (text: string) => Promise<void>
  readonly passphrase: string | undefined
}

export type KeyStore = {
  readonly get: (provider: string) => string | undefined
  readonly set: (provider: string, key: string) => Promise<void>
  readonly remove: (provider: string) => Promise<void>
  readonly all: () => readonly string[]
  readonly problem: () => string | null // why stored keys can't be read, for doctor and the inbox
}

export async function openKeyStore(deps: KeyStoreDeps): Promise<KeyStore> {
  const sealed = await deps.readSealed()
  let problem: string | null = null
  let keys: Record<string, string> = {}
  if (sealed !== null) {
    try {
      keys = await unseal(sealed, deps)
    } catch (cause) {
      problem = cause instanceof NuumError ? cause.message : 'The stored keys can’t be opened; enter them again.'
    }
  }
  const inOrder = oneAtATime()
  const save = (change: (before: Record<string, string>) => Record<string, string>) =>
    inOrder(async () => {
      const next = change(keys)
      const sealed = await seal(next, deps)
      if (problem !== null) await deps.setAside() // what can't be opened now may be opened later: it is kept beside the new file
      problem = null
      await deps.writeSealed(sealed)
      keys = next
    })
  return {
    get: (provider) => (Object.hasOwn(keys, provider) ? keys[provider] : undefined),
    async set(provider, key) {
      await save((before) => ({ ...before, [provider]: key }))
    },
    async remove(provider) {
      await save((before) => Object.fromEntries(Object.entries(before).filter(([name]) => name !== provider)))
    },
    all: () => Object.values(keys),
    problem: () => problem,
  }
}

async function seal(keys: Record<string, string>, deps: KeyStoreDeps): Promise<string> {
  const salt = randomBytes(16)
  const iv = randomBytes(12)
  const sealer = deps.passphrase === undefined ? 'key-file' : 'passphrase'
  const cipher = createCipheriv('aes-256-gcm', await sealingKey(sealer, salt, deps, true), iv)
  const data = Buffer.concat([cipher.update(JSON.stringify(keys), 'utf8'), cipher.final()])
  const hex = (bytes: Buffer) => bytes.toString('base64')
  return `${JSON.stringify({ v: 1, sealer, salt: hex(salt), iv: hex(iv), tag: hex(cipher.getAuthTag()), data: hex(data) })}\n`
}

async function unseal(text: string, deps: KeyStoreDeps): Promise<Record<string, string>> {
  const sealed = Sealed.parse(JSON.parse(text))
  const bytes = (part: string) => Buffer.from(part, 'base64')
  const decipher = createDecipheriv('aes-256-gcm', await sealingKey(sealed.sealer, bytes(sealed.salt), deps, false), bytes(sealed.iv))
  decipher.setAuthTag(bytes(sealed.tag))
  const plain = Buffer.concat([decipher.update(bytes(sealed.data)), decipher.final()])
  return Keys.parse(JSON.parse(plain.toString('utf8')))
}

async function sealingKey(sealer: 'key-file' | 'passphrase', salt: Buffer, deps: KeyStoreDeps, create: boolean): Promise<Buffer> {
  if (sealer === 'passphrase') {
    if (deps.passphrase === undefined)
      throw new NuumError('denied', 'The stored keys are sealed by a passphrase: start Nuum with NUUM_PASSPHRASE set.')
    return scryptSync(deps.passphrase, salt, 32)
  }
  let secret = await deps.readKeyFile()
  if (secret === null) {
    if (!create) throw new NuumError('not_found', 'The file that seals the stored keys is missing; enter the keys again.')
    secret = randomBytes(32).toString('base64')
    await deps.writeKeyFile(secret)
  }
  return scryptSync(secret.trim(), salt, 32, { N: 1024 }) // the secret is random already: stretching it would only cost time
}
