/** What may go with a message: pictures and PDFs within the Host's limits. Pure. */
export const ATTACH_KINDS = ['image/png', 'image/jpeg', 'image/webp', 'image/gif', 'application/pdf'] as const
export const MAX_FILE_BYTES = 8 * 1024 * 1024
export const MAX_FILES = 10

export const isPicture = (mime: string): boolean => mime.startsWith('image/')

export type Refusal = 'wrongKind' | 'tooLarge' | 'tooMany' | 'empty'
type Offered = { readonly name: string; readonly type: string; readonly size: number }

/** Why a file can't go with the message that has `count` files already, or null. */
export function refuseFile(file: Offered, count: number): Refusal | null {
  if (!(ATTACH_KINDS as readonly string[]).includes(file.type)) return 'wrongKind'
  if (file.size === 0) return 'empty'
  if (file.size > MAX_FILE_BYTES) return 'tooLarge'
  return count >= MAX_FILES ? 'tooMany' : null
}
