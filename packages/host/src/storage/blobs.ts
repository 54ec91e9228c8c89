/** Bodies too large for a log line, by the SHA-256 of their bytes: written once, never changed, durable before a log names them. */
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { chmod, open, readFile, rename, stat, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { NuumError } from '@nuum/protocol'
import { exists } from './home.ts'
import type { Paths } from './paths.ts'

export type Blobs = {
  readonly put: (text: string) => Promise<string>
  readonly adopt: (file: string) => Promise<string> // takes over a spooled file
  readonly putBytes: (bytes: Uint8Array) => Promise<string>
  readonly bytes: (hash: string, maxBytes: number) => Promise<Buffer | null> // null too when it is larger
  readonly text: (hash: string) => Promise<string | null>
  /** Lines `from`… (1-based) of a text blob in bounded memory, and how many there are. */
  readonly lines: (hash: string, from: number, count: number) => Promise<{ text: string; totalLines: number }>
  readonly head: (hash: string, maxBytes: number) => Promise<{ text: string; cut: boolean }>
}

const HASH = /^[0-9a-f]{64}$/

export function createBlobs(paths: Paths, newId: () => string): Blobs {
  const pathOf = (hash: string): string => {
    if (!HASH.test(hash)) throw new NuumError('invalid', 'That is no stored output.')
    return paths.blob(hash)
  }
  async function putBytes(bytes: Uint8Array): Promise<string> {
    const hash = createHash('sha256').update(bytes).digest('hex')
    const path = pathOf(hash)
    if (await exists(path)) return hash
    const temp = join(paths.blobsDir, `.${newId()}.tmp`)
    const file = await open(temp, 'wx', 0o600)
    try {
      await file.writeFile(bytes)
      await file.datasync()
    } finally {
      await file.close()
    }
    await rename(temp, path)
    await syncDir(paths.blobsDir)
    return hash
  }
  const orNull = <T>(reading: Promise<T>): Promise<T | null> =>
    reading.catch((cause: NodeJS.ErrnoException) => (cause.code === 'ENOENT' ? null : Promise.reject(cause)))

  return {
    put: (text) => putBytes(Buffer.from(text, 'utf8')),
    putBytes,
    async bytes(hash, maxBytes) {
      const size = (await orNull(stat(pathOf(hash))))?.size ?? Infinity
      return size > maxBytes ? null : orNull(readFile(pathOf(hash)))
    },
    async adopt(file) {
      const hash = createHash('sha256')
      for await (const chunk of createReadStream(file)) hash.update(chunk as Buffer)
      const name = hash.digest('hex')
      if (await exists(pathOf(name))) {
        await unlink(file)
        return name
      }
      const handle = await open(file, 'r')
      try {
        await handle.datasync()
      } finally {
        await handle.close()
      }
      await chmod(file, 0o600)
      await rename(file, pathOf(name))
      await syncDir(paths.blobsDir)
      return name
    },
    text: (hash) => orNull(readFile(pathOf(hash), 'utf8')),
    async lines(hash, from, count) {
      const wanted: string[] = []
      let line = 1
      let rest = ''
      for await (const chunk of createReadStream(pathOf(hash), { encoding: 'utf8' })) {
        const parts = (rest + String(chunk)).split('\n')
        rest = parts.pop() ?? ''
        if (rest.length > 1_000_000) rest = rest.slice(0, 1_000_000) // one endless line: its head is enough
        for (const part of parts) {
          if (line >= from && line < from + count) wanted.push(part)
          line++
        }
      }
      if (rest !== '' && line >= from && line < from + count) wanted.push(rest)
      return { text: wanted.join('\n'), totalLines: rest === '' ? line - 1 : line }
    },
    async head(hash, maxBytes) {
      const file = await open(pathOf(hash), 'r').catch((cause: NodeJS.ErrnoException) =>
        Promise.reject(cause.code === 'ENOENT' ? new NuumError('not_found', 'That output is not there any more.') : cause),
      )
      try {
        const { size } = await file.stat()
        const buffer = Buffer.alloc(Math.min(size, maxBytes))
        await file.read(buffer, 0, buffer.length, 0)
        const cut = size > maxBytes
        return { text: new TextDecoder().decode(buffer, { stream: cut }), cut } // a character that the cut divides is left out
      } finally {
        await file.close()
      }
    },
  }
}

async function syncDir(dir: string): Promise<void> {
  const handle = await open(dir, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
