/** The files that may go with a message, told by their first bytes: a name or a label proves nothing. Pure. */
export const FILE_KINDS = ['image/png', 'image/jpeg', 'image/webp', 'image/gif', 'application/pdf'] as const
export type FileKind = (typeof FILE_KINDS)[number]

export const MAX_FILE_BYTES = 8 * 1024 * 1024

export function kindOfFile(bytes: Uint8Array): FileKind | null {
  const head = String.fromCharCode(...bytes.subarray(0, 12))
  if (head.startsWith('\x89PNG\r\n\x1a\n')) return 'image/png'
  if (head.startsWith('\xff\xd8\xff')) return 'image/jpeg'
  if (head.startsWith('GIF87a') || head.startsWith('GIF89a')) return 'image/gif'
  if (head.startsWith('RIFF') && head.slice(8) === 'WEBP') return 'image/webp'
  return head.startsWith('%PDF-') ? 'application/pdf' : null
}
