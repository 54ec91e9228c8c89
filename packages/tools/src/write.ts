import { z } from 'zod'
import { describeChange } from './text/file-change.ts'
import { permit, refusal } from './permission.ts'
import { decodeText } from './text/text-file.ts'
import type { Tool } from './tool.ts'

const MAX_DIFF_BYTES = 1024 * 1024

const input = z.strictObject({ path: z.string(), content: z.string() })

export const writeTool: Tool<typeof input> = {
  name: 'write',
  description: 'Create a file or replace its whole content. Missing folders are made.',
  input,
  run: async ({ path, content }, context) => {
    const permitted = await permit(path, 'write', 'write', context)
    if (!permitted.ok) return permitted.output
    const { place, workspace } = permitted
    const bytes = Buffer.from(content.toWellFormed(), 'utf8')
    const before = place.exists ? workspace.read(place, MAX_DIFF_BYTES) : null
    const written = workspace.write(place, bytes, context.seen.get(place.real))
    if (!written.ok) return refusal(written.error.message)
    context.seen.set(place.real, written.value.hash)
    const old = before?.ok === true && !before.value.truncated ? decodeText(before.value.bytes) : null
    const oldText = before === null ? '' : old?.kind === 'text' ? old.file.text : null
    const linked = written.value.unlinkedCopies > 0 ? ' It had other names (hard links); those keep the old content.' : ''
    return {
      ok: true,
      text: `${written.value.created ? 'Created' : 'Replaced'} ${path} (${bytes.length.toLocaleString('en-US')} bytes).${linked}`,
      origin: 'own',
      meta: { path: place.real, created: written.value.created, ...describeChange(path, oldText, content) },
    }
  },
}
