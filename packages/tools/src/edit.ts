import { z } from 'zod'
import { describeChange } from './text/file-change.ts'
import { permit, refusal } from './permission.ts'
import { findPassages, replacePassages } from './text/replace-passage.ts'
import { decodeText, encodeText, fits } from './text/text-file.ts'
import type { Tool } from './tool.ts'

const MAX_FILE_BYTES = 16 * 1024 * 1024

const input = z.strictObject({
  path: z.string(),
  old: z.string().min(1).describe('exact text, without line numbers; must occur once unless all'),
  new: z.string().describe('taken literally'),
  all: z.boolean().optional(),
})

export const editTool: Tool<typeof input> = {
  name: 'edit',
  description: 'Replace exact text in a file. Line ends (CRLF), BOM and encoding are kept.',
  input,
  run: async ({ path, old, new: replacement, all }, context) => {
    const permitted = await permit(path, 'write', 'change', context)
    if (!permitted.ok) return permitted.output
    const { place, workspace } = permitted
    if (!place.exists) return refusal(`${path} does not exist. Use write to create it.`)
    const body = workspace.read(place, MAX_FILE_BYTES)
    if (!body.ok) return refusal(body.error.message)
    if (body.value.truncated) return refusal(`${path} is larger than ${MAX_FILE_BYTES / 1024 / 1024} MB; change it with a program in the shell.`)
    const known = context.seen.get(place.real)
    if (known !== undefined && known !== body.value.hash)
      return refusal(`${path} changed since you read it; nothing was written. Read it again and make the change on what is there now.`)
    const decoded = decodeText(body.value.bytes)
    if (decoded.kind === 'binary') return refusal(`${path} is ${decoded.what}; edit changes text only.`)
    const { file } = decoded
    const passages = findPassages(file.text, old)
    if (!passages.ok) return refusal(`${path}: ${passages.error}`)
    if (passages.value.length > 1 && all !== true) {
      const lines = passages.value
        .slice(0, 10)
        .map((passage) => passage.line)
        .join(', ')
      return refusal(
        `The text to replace occurs ${passages.value.length} times in ${path} (lines ${lines}${passages.value.length > 10 ? ', …' : ''}); nothing was changed. Give more of the surrounding text, or set all.`,
      )
    }
    const after = replacePassages(file.text, passages.value, old, replacement)
    if (after === file.text) return refusal(`old and new are the same (line ends are kept as they are in the file); ${path} was not changed.`)
    if (!fits(after, file.encoding))
      return refusal(
        `${path} is not UTF-8, and the new text has characters that its encoding can’t hold. Write the whole file anew to make it UTF-8.`,
      )
    const written = workspace.write(place, encodeText(after.toWellFormed(), file), body.value.hash)
    if (!written.ok) return refusal(written.error.message)
    context.seen.set(place.real, written.value.hash)
    const count = passages.value.length
    const linked = written.value.unlinkedCopies > 0 ? ' It had other names (hard links); those keep the old content.' : ''
    return {
      ok: true,
      text: `Changed ${path} in ${count === 1 ? `line ${passages.value[0]?.line}` : `${count} places`}.${linked}`,
      origin: 'own',
      meta: { path: place.real, replaced: count, ...describeChange(path, file.text, after) },
    }
  },
}
