/**
 * What a person is asked to allow, exactly: characters that can't be seen, or that turn the reading direction, are named instead of drawn.
 * Line breaks, tabs and plain spaces stay as they are.
 */
export type ExactPiece = { readonly text: string; readonly named: boolean }

const UNSEEN =
  /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cs}\u00a0\u1680\u2000-\u200a\u202f\u205f\u2800\u3000\u3164\uffa0]|\u115f|\u1160|\p{Variation_Selector}/gu
const PLAIN = new Set(['\n', '\t'])

export function exactPieces(text: string): ExactPiece[] {
  const pieces: ExactPiece[] = []
  let from = 0
  for (const match of text.matchAll(UNSEEN)) {
    if (PLAIN.has(match[0])) continue
    if (match.index > from) pieces.push({ text: text.slice(from, match.index), named: false })
    pieces.push({ text: nameOf(match[0]), named: true })
    from = match.index + match[0].length
  }
  if (from < text.length) pieces.push({ text: text.slice(from), named: false })
  return pieces
}

const nameOf = (character: string): string => `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`

/** Terminal output as a person reads it: colours and cursor moves are dropped, characters that control or turn the reading direction are shown by name. */
export function plainOutput(text: string): string {
  return text
    .replace(/\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)|[@-Z\\-_])/g, '')
    .replace(/\r\n/g, '\n')
    .replace(/[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, (character) => `⟨${nameOf(character)}⟩`)
    .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f]/g, (character) => String.fromCharCode(0x2400 + character.charCodeAt(0)))
}
