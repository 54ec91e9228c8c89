/** Marks words in the rows that are on screen, without touching what React made: through the browser's own highlights, where it has them. */
import { useEffect } from 'react'

const NAME = 'found'
const MOST_MARKS = 500

export function useMarks(query: string): void {
  useEffect(() => {
    const root = document.querySelector('.transcript')
    if (query === '' || root === null || !('highlights' in CSS)) return
    let frame = 0
    const mark = () => CSS.highlights.set(NAME, new Highlight(...rangesOf(root, query.toLowerCase())))
    const soon = () => {
      cancelAnimationFrame(frame)
      frame = requestAnimationFrame(mark)
    }
    soon()
    const observer = new MutationObserver(soon)
    observer.observe(root, { childList: true, subtree: true, characterData: true })
    return () => {
      observer.disconnect()
      cancelAnimationFrame(frame)
      CSS.highlights.delete(NAME)
    }
  })
}

function rangesOf(root: Element, needle: string): Range[] {
  const ranges: Range[] = []
  for (const line of root.querySelectorAll('.line')) {
    const walker = document.createTreeWalker(line, NodeFilter.SHOW_TEXT)
    for (let node = walker.nextNode(); node !== null && ranges.length < MOST_MARKS; node = walker.nextNode()) {
      const text = node.nodeValue?.toLowerCase() ?? ''
      for (let at = text.indexOf(needle); at !== -1; at = text.indexOf(needle, at + needle.length)) {
        const range = new Range()
        range.setStart(node, at)
        range.setEnd(node, Math.min(at + needle.length, node.nodeValue?.length ?? 0))
        ranges.push(range)
      }
    }
  }
  return ranges
}
