/**
 * How what goes with a message is sent: pictures and documents as far as the frozen profile allows, else a line of text that says what was there.
 * The same item and profile give the same parts; a file that is gone is the one thing that may change them. Pure.
 */
import type { ItemAttachment, UserItem, WireProfile } from '@nuum/protocol'
import { userText } from './item-text.ts'

export type SentFile = { readonly kind: 'image' | 'document'; readonly mime: string; readonly name: string; readonly data: string }

const IMAGES = new Set(['image/png', 'image/jpeg', 'image/webp', 'image/gif'])

/** Whether this profile sends such a file. */
export function isSent({ mime }: Pick<ItemAttachment, 'mime'>, profile: WireProfile): boolean {
  return (profile.images === true && IMAGES.has(mime)) || (profile.documents === true && mime === 'application/pdf')
}

/** The text of a message, with a line for each file that can't be shown, and the files that can. */
export function userParts(item: UserItem, profile: WireProfile): { readonly text: string; readonly files: readonly SentFile[] } {
  const files: SentFile[] = []
  const lines = [userText(item.text)]
  for (const one of item.attachments ?? []) {
    const { mime, data } = one
    const name = shownName(one.name)
    const kind = IMAGES.has(mime) ? 'image' : 'document'
    if (!isSent(one, profile)) lines.push(`[${kind} ${name} not shown: this model can't see ${kind}s]`)
    else if (data === undefined) lines.push(`[${kind} ${name} not shown: the file is missing]`)
    else files.push({ kind, mime, name, data })
  }
  return { text: lines.join('\n'), files }
}

/** On one line, and without what could end the frame around it. */
function shownName(name: string): string {
  const clean = name
    .toWellFormed()
    .replace(/[\p{Cc}\p{Cf}\u2028\u2029[\]]+/gu, ' ')
    .trim()
  return [...clean].slice(0, 100).join('') || 'without a name'
}

export const dataUrl = ({ mime, data }: SentFile): string => `data:${mime};base64,${data}`
