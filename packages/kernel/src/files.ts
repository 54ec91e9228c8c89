/** The bytes of pictures and documents in a run's conversation: asked of the Host once, kept for that run. */
import type { ContextRequest, Item, ItemAttachment, RunId, WireProfile } from '@nuum/protocol'
import type { HostLink, Log } from './host-link.ts'
import { isSent } from './providers/attachments.ts'

export function createFiles(runId: RunId, host: Pick<HostLink, 'call'>, log: Log) {
  const known = new Map<string, string | null>()

  async function read(blob: string): Promise<string | null> {
    try {
      return (await host.call('blob/read', { runId, blob })).base64
    } catch (cause) {
      log(`the file ${blob} of a message could not be read`, cause) // the model is told that it is missing
      return null
    }
  }

  async function withData(one: ItemAttachment, profile: WireProfile): Promise<ItemAttachment> {
    if (!isSent(one, profile)) return one
    const data = known.get(one.blob) ?? (await read(one.blob))
    known.set(one.blob, data)
    return data === null ? one : { ...one, data }
  }

  return async ({ profile }: Pick<ContextRequest, 'profile'>, items: readonly Item[]): Promise<Item[]> => {
    const filled: Item[] = []
    for (const item of items) {
      if (item.role !== 'user' || item.attachments === undefined) filled.push(item)
      else {
        const attachments: ItemAttachment[] = []
        for (const one of item.attachments) attachments.push(await withData(one, profile)) // one at a time: files are large
        filled.push({ ...item, attachments })
      }
    }
    return filled
  }
}
