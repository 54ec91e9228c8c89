/**
 * Live text on its way to the Host: what a model streams and what a shell prints.
 * 1. Pieces coalesce: one notification a part each 30 ms, none while the Host does not read. 2. What waits is bounded.
 * 3. `offset` counts what was sent of that part, after redaction; a step begun again starts at 0.
 */
import type { KERNEL_NOTIFICATIONS, NotificationOf } from '@nuum/protocol'
import type { Clock } from './clock.ts'
import type { HostLink } from './host-link.ts'
import type { RedactedStream, Redactor } from './redact.ts'

const INTERVAL_MS = 30
const MAX_WAITING_CHARS = 256 * 1024

type Delta = NotificationOf<typeof KERNEL_NOTIFICATIONS, 'run/delta'>
type ModelDelta = { readonly part: number; readonly kind: Delta['kind']; readonly text: string; readonly name?: string }
type Part = { kind: Delta['kind']; name: string | undefined; redacted: RedactedStream; waiting: string; sent: number; announced: boolean }

export type LivePorts = { readonly host: Pick<HostLink, 'notify'>; readonly clock: Clock; readonly canSend: () => boolean }

export type LiveAnswer = {
  readonly push: (delta: ModelDelta) => void
  /** Sends all that waits, also what was held back as the possible beginning of a secret. */
  readonly finish: () => void
  /** What was streamed is void: nothing more of it is sent. */
  readonly drop: () => void
}

export function createLiveAnswer(runId: Delta['runId'], n: number, redactor: Redactor, ports: LivePorts): LiveAnswer {
  let parts = new Map<number, Part>()
  let cancel: (() => void) | null = null

  const send = () => {
    for (const [at, part] of parts) {
      if (part.waiting === '' && part.announced) continue
      const { kind, name, waiting: text, sent: offset } = part
      ports.host.notify('run/delta', { runId, n, part: at, kind, offset, text, ...(name === undefined ? {} : { name }) })
      part.sent += text.length
      part.waiting = ''
      part.announced = true
    }
  }
  const tick = () => {
    cancel = null
    if (ports.canSend()) send()
    else cancel = ports.clock.after(INTERVAL_MS, tick)
  }
  const halt = () => {
    cancel?.()
    cancel = null
  }

  return {
    push(delta) {
      const part = parts.get(delta.part) ?? {
        kind: delta.kind,
        name: delta.name,
        redacted: redactor.stream(),
        waiting: '',
        sent: 0,
        announced: false,
      }
      parts.set(delta.part, part)
      part.name ??= delta.name
      part.waiting += part.redacted.push(delta.text)
      cancel ??= ports.clock.after(INTERVAL_MS, tick)
    },
    finish() {
      halt()
      for (const part of parts.values()) part.waiting += part.redacted.flush()
      send()
    },
    drop() {
      halt()
      parts = new Map()
    },
  }
}

export type LiveOutput = { readonly push: (text: string) => void; readonly finish: () => void }

/** A command's output while it runs. It is only shown, the result holds it whole: what can't be sent in time is left out and counted. */
export function createLiveOutput(redactor: Redactor, send: (text: string) => void, ports: Pick<LivePorts, 'clock' | 'canSend'>): LiveOutput {
  const redacted = redactor.stream()
  let waiting = ''
  let leftOut = 0
  let cancel: (() => void) | null = null

  const flush = () => {
    if (leftOut > 0) waiting = `[… ${leftOut} characters not shown live …]\n${waiting}`
    if (waiting !== '') send(waiting)
    waiting = ''
    leftOut = 0
  }
  const tick = () => {
    cancel = null
    if (ports.canSend()) flush()
    else cancel = ports.clock.after(INTERVAL_MS, tick)
  }
  return {
    push(text) {
      waiting += redacted.push(text)
      if (waiting.length > MAX_WAITING_CHARS) {
        const over = waiting.length - MAX_WAITING_CHARS / 2
        leftOut += over
        waiting = waiting.slice(over)
      }
      cancel ??= ports.clock.after(INTERVAL_MS, tick)
    },
    finish() {
      cancel?.()
      cancel = null
      waiting += redacted.flush()
      flush()
    },
  }
}
