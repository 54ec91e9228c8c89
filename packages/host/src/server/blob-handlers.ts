/** Files that go with a message: taken in before it is sent, and shown again afterwards. */
import { NuumError } from '@nuum/protocol'
import type { App } from '../app.ts'
import { FILE_KINDS, kindOfFile, MAX_FILE_BYTES } from '../storage/file-kinds.ts'
import type { HostHandlers } from './handlers.ts'
import { assertWritable } from './writable.ts'

const KINDS = 'Pictures (PNG, JPEG, WebP, GIF) and PDF files can be attached.'

export function blobHandlers(app: App): Pick<HostHandlers, 'blob/put' | 'blob/get'> {
  const { agents, blobs } = app
  return {
    'blob/put': async ({ agent, name, mime, base64 }) => {
      assertWritable(app)
      agents.find(agent)
      const tooLarge = new NuumError('invalid', `${name} is larger than ${MAX_FILE_BYTES / 1024 / 1024} MB.`, { field: 'base64' })
      if (base64.length > Math.ceil(MAX_FILE_BYTES / 3) * 4) throw tooLarge
      if (!(FILE_KINDS as readonly string[]).includes(mime))
        throw new NuumError('unsupported', `${name} can't be attached: its kind is ${mime === '' ? 'not known' : mime}.`, {
          hint: KINDS,
          field: 'mime',
        })
      if (!/^[A-Za-z0-9+/]+={0,2}$/.test(base64) || base64.length % 4 !== 0)
        throw new NuumError('invalid', `${name} arrived damaged; attach it again.`, { field: 'base64' })
      const bytes = Buffer.from(base64, 'base64')
      if (bytes.length > MAX_FILE_BYTES) throw tooLarge
      if (kindOfFile(bytes) !== mime)
        throw new NuumError('invalid', `${name} is no ${mime} file, whatever it is called.`, { hint: KINDS, field: 'mime' })
      return { blob: await blobs.putBytes(bytes), sizeBytes: bytes.length }
    },
    'blob/get': async ({ agent, blob }) => {
      agents.find(agent)
      const bytes = await blobs.bytes(blob, MAX_FILE_BYTES)
      const mime = bytes === null ? null : kindOfFile(bytes)
      if (bytes === null || mime === null) throw new NuumError('not_found', 'That file is not there any more.')
      return { mime, base64: bytes.toString('base64') }
    },
  }
}
