import { z } from 'zod'
import { headOf, OUTPUT_LIMIT_CHARS } from './text/output-limit.ts'
import { originOf, permit, refusal } from './permission.ts'
import { decodeText, type TextFile } from './text/text-file.ts'
import type { Tool, ToolContext, ToolOutput } from './tool.ts'

const MAX_FILE_BYTES = 64 * 1024 * 1024
const DEFAULT_LINES = 2000
const MAX_LINE_CHARS = 2000
const OUTPUT_PREFIX = 'output:'

const input = z.strictObject({
  path: z.string().describe('a file, or output:<callId> to read on in a long result'),
  from: z.int().min(1).optional().describe('first line, from 1'),
  lines: z.int().min(1).max(10_000).optional(),
})

export const readTool: Tool<typeof input> = {
  name: 'read',
  description: 'Read a text file with line numbers (at most 2000 lines at once; go on with from).',
  input,
  run: async (args, context) => (args.path.startsWith(OUTPUT_PREFIX) ? readOutput(args, context) : readFile(args, context)),
}

async function readFile(args: z.output<typeof input>, context: ToolContext): Promise<ToolOutput> {
  const permitted = await permit(args.path, 'read', 'read', context)
  if (!permitted.ok) return permitted.output
  const { place, workspace } = permitted
  const body = workspace.read(place, MAX_FILE_BYTES)
  if (!body.ok) return refusal(body.error.message)
  const { bytes, sizeBytes, hash, truncated } = body.value
  const origin = originOf(place.room)
  const meta = { path: place.real, sizeBytes }
  const decoded = decodeText(bytes)
  if (decoded.kind === 'binary') {
    const isPicture = /image|PDF/.test(decoded.what)
    return {
      ok: false,
      origin: 'own',
      meta,
      text: `${args.path} is ${decoded.what} (${sizeBytes.toLocaleString('en-US')} bytes), not text. ${isPicture ? 'Images and PDF pages can’t be shown to you yet; ask the person, or use a program in the shell.' : 'Use a program in the shell to look into it.'}`,
    }
  }
  if (!truncated) context.seen.set(place.real, hash)
  const lines = splitLines(decoded.file.text)
  const header = remarks(decoded.file, truncated, sizeBytes)
  if (lines.length === 0) return { ok: true, origin, meta, text: `${header}(the file is empty)` }
  const from = args.from ?? 1
  if (from > lines.length) return refusal(`${args.path} has only ${lines.length} lines; from is ${from}.`)
  const shown = numbered(lines, from, args.lines ?? DEFAULT_LINES)
  const rest = lines.length - (from + shown.count - 1)
  const footer = rest > 0 ? `\n[${rest} more lines; read on with from: ${from + shown.count}]` : ''
  return { ok: true, origin, meta: { ...meta, from, lines: shown.count, totalLines: lines.length }, text: `${header}${shown.text}${footer}` }
}

async function readOutput(args: z.output<typeof input>, context: ToolContext): Promise<ToolOutput> {
  const callId = args.path.slice(OUTPUT_PREFIX.length).trim()
  const from = args.from ?? 1
  const output = await context.readOutput(callId, from, args.lines ?? DEFAULT_LINES)
  const lines = splitLines(output.text)
  if (lines.length === 0) return refusal(`The output of ${callId} has ${output.totalLines} lines; there is nothing from line ${from} on.`)
  const shown = numbered(lines, 1, lines.length, from - 1)
  const next = from + shown.count
  const footer = next <= output.totalLines ? `\n[${output.totalLines - next + 1} more lines; read on with from: ${next}]` : ''
  return {
    ok: true,
    origin: output.origin,
    text: `${shown.text}${footer}`,
    meta: { callId, from, lines: shown.count, totalLines: output.totalLines },
  }
}

function remarks(file: TextFile, truncated: boolean, sizeBytes: number): string {
  const said = [
    file.encoding === 'utf-8' ? null : file.encoding === 'latin1' ? 'not valid UTF-8; shown as Latin-1' : `encoding ${file.encoding}`,
    file.lineEnd === 'mixed' ? 'mixed line ends (LF and CRLF)' : null,
    truncated
      ? `only the first ${MAX_FILE_BYTES.toLocaleString('en-US')} of ${sizeBytes.toLocaleString('en-US')} bytes can be read here; use the shell for the rest`
      : null,
  ].filter((remark) => remark !== null)
  return said.length === 0 ? '' : `[${said.join('; ')}]\n`
}

export function splitLines(text: string): string[] {
  if (text === '') return []
  const lines = text.split('\n').map((line) => (line.endsWith('\r') ? line.slice(0, -1) : line))
  if (lines.at(-1) === '') lines.pop()
  return lines
}

/** Stops at a whole line once the output limit is near; one line at least is always shown. */
function numbered(lines: readonly string[], from: number, count: number, offset = 0): { text: string; count: number } {
  const rows: string[] = []
  let size = 0
  for (const [index, line] of lines.slice(from - 1, from - 1 + count).entries()) {
    const clean = line.replaceAll('\0', '␀')
    const row = `${from + index + offset}\t${clean.length > MAX_LINE_CHARS ? `${headOf(clean, MAX_LINE_CHARS)} [… ${clean.length - MAX_LINE_CHARS} more characters in this line]` : clean}`
    if (rows.length > 0 && size + row.length > OUTPUT_LIMIT_CHARS) break
    rows.push(row)
    size += row.length + 1
  }
  return { text: rows.join('\n'), count: rows.length }
}
