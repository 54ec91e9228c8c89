/** One line of the table: ours beside its floor of the same run. */
import type { BenchRow } from './log.ts'

export type { BenchRow }

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? 0
}

/** `pairs`: ours and the floor of each round; the ratio is the median of the rounds' ratios, so that noise hits both sides alike. */
export function ratioRow(goal: string, what: string, pairs: readonly { readonly ours: number; readonly floor: number }[], most: number): BenchRow {
  const ratio = median(pairs.map(({ ours, floor }) => ours / floor))
  const target = `≤ ${most >= 0.5 ? most : `1/${Math.round(1 / most)}`}`
  return { goal, what, ours: median(pairs.map(({ ours }) => ours)), floor: median(pairs.map(({ floor }) => floor)), ratio, target, ok: ratio <= most }
}

/** A figure with a limit of its own, and no floor to measure. */
export function limitRow(goal: string, what: string, ours: number, most: number): BenchRow {
  return { goal, what, ours, floor: most, ratio: ours / most, target: '≤ 1', ok: ours <= most }
}

/** A figure that is told and not judged. */
export function noteRow(goal: string, what: string, ours: number): BenchRow {
  return { goal, what, ours, floor: Number.NaN, ratio: Number.NaN, target: '–', ok: true }
}
