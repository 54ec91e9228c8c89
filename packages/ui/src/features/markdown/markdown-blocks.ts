/**
 * Splits Markdown into top-level blocks, so that finished ones are never rendered again while text streams in.
 * 1. The blocks joined are the text.  2. Grown text is split again only from its last two blocks on, and the outcome is as if it had been split whole.
 * 3. Text whose blocks refer to one another (reference links, footnotes) stays one block.
 */
import { marked } from 'marked'

export type Blocks = { readonly text: string; readonly blocks: readonly string[] }

export const NO_BLOCKS: Blocks = { text: '', blocks: [] }
const REFERS = /^ {0,3}\[[^\]\n]+\]:/m
const RESPLIT = 2

export function splitBlocks(text: string, before: Blocks = NO_BLOCKS): Blocks {
  if (text === before.text) return before
  if (REFERS.test(text)) return { text, blocks: [text] }
  const kept = before.text !== '' && text.startsWith(before.text) ? before.blocks.slice(0, -RESPLIT) : []
  const start = kept.reduce((sum, block) => sum + block.length, 0)
  return { text, blocks: [...kept, ...lex(text.slice(start))] }
}

/** Blank lines stay with the block before them: a block alone is what a reader would call one. */
function lex(text: string): string[] {
  const blocks: string[] = []
  let at = 0
  for (const token of marked.lexer(text, { gfm: true })) {
    // The lexer normalises line ends and tabs in places; only a block found in the text itself can be cut there.
    if (!text.startsWith(token.raw, at)) return [...blocks, text.slice(at)]
    at += token.raw.length
    if (token.type === 'space' && blocks.length > 0) blocks[blocks.length - 1] += token.raw
    else blocks.push(token.raw)
  }
  if (at < text.length) blocks.push(text.slice(at))
  return blocks
}
