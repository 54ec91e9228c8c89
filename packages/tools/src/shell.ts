import { judgeCommand } from '@nuum/sandbox'
import { z } from 'zod'
import { limitOutput } from './text/output-limit.ts'
import { notAllowed, refusal, shellOrigin } from './permission.ts'
import type { Confirm, ShellOutcome, Tool, ToolContext, ToolOutput } from './tool.ts'

const DEFAULT_TIMEOUT_MS = 120_000
const MAX_TIMEOUT_MS = 600_000

const input = z.strictObject({
  command: z.string().min(1),
  timeoutMs: z.int().min(100).max(MAX_TIMEOUT_MS).optional().describe('default 120000'),
  needs: z
    .array(z.string().regex(/^(network|read|write):./, 'must be network:HOST, read:PATH or write:PATH'))
    .optional()
    .describe('network:HOST, read:PATH, write:PATH beyond the workspace'),
})

export const shellTool: Tool<typeof input> = {
  name: 'shell',
  description: 'Run a bash command in your persistent shell (cwd, variables, functions stay). Nobody can type into it; no network.',
  input,
  run: async ({ command, timeoutMs = DEFAULT_TIMEOUT_MS, needs = [] }, context) => {
    if (command.includes('\0')) return refusal('A command can’t contain a NUL character; nothing was run.')
    const unmet = unmetNeed(needs)
    if (unmet !== null) return refusal(unmet)
    const allowed = await allow(command, context)
    if (!allowed.ok) return allowed.output
    const { onOutput, signal, spoolFile } = context
    const confirm: Confirm = async (text, detail) => {
      const { answer, text: said } = await context.ask('approval', text, detail)
      return { allowed: answer === 'allow', said }
    }
    const outcome = await context.shell.run(command, { timeoutMs, onOutput, signal, spoolFile, confirm })
    return toOutput(outcome, context)
  },
}

function unmetNeed(needs: readonly string[]): string | null {
  const network = needs.find((need) => need.startsWith('network:'))
  if (network !== undefined)
    return 'The shell has no network access, and it can’t be given for a command yet; nothing was run. Say what you need to the person, or go on without.'
  if (needs.length > 0)
    return 'A command can’t be given more folders yet; nothing was run. Use read and write for single files (the person is asked), or ask the person to grant the folder.'
  return null
}

async function allow(command: string, context: ToolContext): Promise<{ readonly ok: true } | { readonly ok: false; readonly output: ToolOutput }> {
  const judged = judgeCommand(command, context.zones, { sandboxed: context.shell.sandboxed })
  if (judged.verdict === 'allow') return { ok: true }
  if (judged.verdict === 'deny') return { ok: false, output: refusal(judged.reason) }
  const { answer, text } = await context.ask('approval', `May I run this command? ${judged.reason}\n${command}`, { command })
  return answer === 'allow' ? { ok: true } : { ok: false, output: refusal(notAllowed(answer, text, 'run this command')) }
}

function toOutput(outcome: ShellOutcome, context: ToolContext): ToolOutput {
  const { exitCode, note, cut, cwd } = outcome
  const limited = limitOutput(outcome.output, `Read on with read path: "output:${context.callId}".`)
  const isSilent = outcome.output.trim() === ''
  const remarks = [note, exitCode === null || (exitCode === 0 && !isSilent) ? null : `exit code ${exitCode}`].filter((remark) => remark !== null)
  const said = isSilent ? '(no output)' : limited.text.trimEnd()
  return {
    ok: exitCode === 0,
    text: remarks.length === 0 ? said : `${said}\n[${remarks.join('; ')}]`,
    origin: shellOrigin(context.zones),
    ...(cut !== null ? { full: cut } : limited.cut ? { full: outcome.output } : {}),
    meta: { exitCode, cwd, ...(note === null ? {} : { note }) },
  }
}
