/**
 * One tool: its contract for the model, and what it does. Arguments are parsed strictly; what the model may know comes back as text.
 * A tool never throws for what a model or a disk can cause: it returns `ok: false` with a sentence that says what to do instead.
 */
import type { Origin, ToolDef, Zones } from '@nuum/protocol'
import type { ConfinedSpawn } from '@nuum/sandbox'
import type { z } from 'zod'

export type ToolOutput = {
  readonly ok: boolean
  readonly text: string // all that the model sees, already within the output limit
  readonly origin: Origin
  readonly full?: string | { readonly file: string; readonly sizeBytes: number } // the whole, when `text` was cut: it is kept, and `read` reads on in it
  readonly meta?: Readonly<Record<string, unknown>> // for display: path, diff, exitCode …
}

/** A question to the person that the action hangs on. */
export type Ask = (
  kind: 'approval' | 'question' | 'input',
  text: string,
  detail: Record<string, unknown>,
) => Promise<{ answer: 'allow' | 'deny' | 'text' | 'expired'; text?: string | undefined }>

/** A yes or no of the person; `detail` says exactly what of. */
export type Confirm = (text: string, detail: Record<string, unknown>) => Promise<{ readonly allowed: boolean; readonly said?: string | undefined }>

export type ShellPort = {
  /** Runs one command in the persistent shell of this place. `spoolFile`: where a long output is kept whole. `confirm`: what it left behind that runs by itself. */
  readonly run: (
    command: string,
    options: { timeoutMs: number; onOutput: (text: string) => void; signal: AbortSignal; spoolFile?: string; confirm?: Confirm },
  ) => Promise<ShellOutcome>
  readonly sandboxed: boolean
}
export type ShellOutcome = {
  readonly output: string // ANSI stripped, head and tail kept
  readonly cut: { readonly file: string; readonly sizeBytes: number } | null // the whole output, spooled
  readonly exitCode: number | null // null: killed or timed out
  readonly note: string | null // 'timed out after …', 'shell ended with code N; its state was reset' …
  readonly cwd: string
}

export type ToolContext = {
  readonly callId: string
  readonly zones: Zones
  readonly ask: Ask
  readonly shell: ShellPort
  readonly onOutput: (text: string) => void
  readonly signal: AbortSignal
  readonly spoolFile: string // where this call may spool a long output
  readonly readOutput: (callId: string, from: number, lines: number) => Promise<{ text: string; totalLines: number; origin: Origin }>
  /** What this run has read, to refuse an edit of a file that changed since: real path → content hash. */
  readonly seen: Map<string, string>
  /** Starts the search engine inside the agent's mounts; without it the search runs plainly and its hits are checked one by one. */
  readonly spawn?: ConfinedSpawn
  /** The person's home, for `~`; the process's own where it is not given. */
  readonly userHome?: string
}

export type Tool<S extends z.ZodType = z.ZodType> = {
  readonly name: string
  readonly description: string
  readonly input: S
  run(input: z.output<S>, context: ToolContext): Promise<ToolOutput>
}

export type { ToolDef }
