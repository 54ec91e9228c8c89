// Writes JSON lines for `run-tests.mjs`: one for each finished test, its error as a person would read it, and when tests open and close,
// so that a process which idles with no test open is told from one that works.
import { inspect } from 'node:util'

export default async function* report(source) {
  for await (const event of source) {
    const line = toLine(event)
    if (line) yield `${JSON.stringify(line)}\n`
  }
}

function toLine({ type, data }) {
  if (type === 'test:enqueue') return { type: 'open' }
  if (type === 'test:complete') return { type: 'close' }
  if (type === 'test:summary') return data.file === undefined ? { type: 'end' } : null
  if (type !== 'test:pass' && type !== 'test:fail') return null
  const isSuite = data.details?.type === 'suite'
  const base = { name: data.name, file: data.file, line: data.line, ms: data.details?.duration_ms }
  if (data.skip !== undefined && data.skip !== false) return { ...base, type: 'skip', reason: data.skip === true ? '' : String(data.skip) }
  if (data.todo !== undefined && data.todo !== false) return { ...base, type: 'skip', reason: `todo${data.todo === true ? '' : `: ${data.todo}`}` }
  if (type === 'test:pass') return isSuite ? null : { ...base, type: 'pass' }
  const error = data.details?.error
  if (error?.failureType === 'subtestsFailed') return null // its subtests have been told already
  return { ...base, type: 'fail', error: describe(error) }
}

function describe(error) {
  const cause = error?.cause ?? error
  if (cause instanceof Error) return cause.stack?.includes(cause.message) ? inspect(cause, { depth: 4 }) : `${cause.message}\n${cause.stack ?? ''}`
  return inspect(cause, { depth: 4 })
}
