/** The size limit of one tool result, in UTF-8 bytes. No cut goes through the middle of a character. */
const MAX_RESULT_BYTES = 256 * 1024

export const NO_TEXT = '(no output)'

/** Well-formed, never blank (providers refuse blank blocks), and within the limit: head and tail stay, the gap is named. */
export function limitText(text: string, maxBytes = MAX_RESULT_BYTES): { readonly text: string; readonly cut: boolean } {
  const whole = text.toWellFormed()
  if (whole.trim() === '') return { text: NO_TEXT, cut: false }
  const bytes = Buffer.byteLength(whole)
  if (bytes <= maxBytes) return { text: whole, cut: false }
  const notice = `\n[… ${bytes} bytes in all; the middle was left out …]\n`
  const room = Math.max(0, maxBytes - Buffer.byteLength(notice))
  const buffer = Buffer.from(whole)
  const head = buffer.subarray(0, borderBefore(buffer, Math.floor(room / 2)))
  const tail = buffer.subarray(borderAfter(buffer, bytes - Math.floor(room / 2)))
  return { text: `${head.toString()}${notice}${tail.toString()}`, cut: true }
}

function isInside(buffer: Buffer, at: number): boolean {
  return ((buffer[at] ?? 0) & 0xc0) === 0x80
}
function borderBefore(buffer: Buffer, at: number): number {
  let border = at
  while (border > 0 && isInside(buffer, border)) border--
  return border
}
function borderAfter(buffer: Buffer, at: number): number {
  let border = at
  while (border < buffer.length && isInside(buffer, border)) border++
  return border
}
