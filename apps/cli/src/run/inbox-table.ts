import type { InboxItem } from '@nuum/protocol'
import { oneLine, table, visible } from '../output.ts'

export function itemTable(items: readonly InboxItem[]): string {
  return table([
    ['ID', 'KIND', 'AGENT', 'SINCE', 'WHAT'],
    ...items.map((item) => [
      item.id,
      item.kind,
      visible(item.agent),
      item.since.slice(0, 16).replace('T', ' '),
      oneLine(item.text, 160) + (item.hint ? ` (${oneLine(item.hint, 120)})` : ''),
    ]),
  ])
}
