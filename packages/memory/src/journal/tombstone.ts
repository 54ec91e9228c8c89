/** A tombstone as the fold makes it, from the fact that went and what the record says of it. */
import type { TombstoneBody } from './fact.ts'
import type { JournalRecord } from './record.ts'
import type { Fact, Tombstone } from './state.ts'
import { keyOf } from '../text/normalise.ts'

export function makeTombstone(fact: Fact, body: TombstoneBody, record: JournalRecord & { by: Fact['by'] }): Tombstone {
  const texts = [...new Set([fact.text, ...fact.history.flatMap(({ before }) => (before ? [before.text] : []))])]
  return {
    ...body,
    fact: fact.id,
    seq: record.seq,
    at: record.at,
    by: record.by,
    texts,
    keys: texts.map(keyOf).filter((key) => key !== ''),
    hashes: [],
    slot: fact.multi ? null : fact.slot,
    sources: fact.sources,
    cues: [],
    aliases: [],
    liftedBy: null,
  }
}
