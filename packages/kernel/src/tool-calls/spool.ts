/** Files that hold a call's whole output until the Host adopts them. Written here, never read back by the Kernel. */
import { createReadStream, createWriteStream } from 'node:fs'
import { mkdir, rename, rm, stat, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { Redactor } from '../redact.ts'

export async function writeSpool(file: string, text: string): Promise<number> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 })
  await writeFile(file, text, { mode: 0o600 })
  return Buffer.byteLength(text)
}

/**
 * Replaces the file by a copy without secrets; answers its size in bytes. Reads in pieces: an output may be larger than memory.
 * Latin-1 keeps every byte as it is, also where the output is no text; keys are ASCII.
 */
export async function redactSpool(file: string, redactor: Redactor): Promise<number> {
  const copy = `${file}.redacted`
  const stream = redactor.stream()
  try {
    await pipeline(
      createReadStream(file, 'latin1'),
      async function* (chunks: AsyncIterable<string>) {
        for await (const chunk of chunks) yield Buffer.from(stream.push(chunk), 'latin1')
        yield Buffer.from(stream.flush(), 'latin1')
      },
      createWriteStream(copy, { mode: 0o600 }),
    )
    await rename(copy, file)
  } catch (cause) {
    await rm(copy, { force: true })
    throw cause
  }
  return (await stat(file)).size
}
