import type { DoctorCheck } from '@nuum/protocol'
import type { NuumCommand } from '../context.ts'
import { EXIT, failureOf } from '../failure.ts'
import { visible } from '../output.ts'

export const command: NuumCommand = {
  name: 'doctor',
  actions: {
    '': {
      usage: 'nuum doctor',
      summary: 'Checks data, keys, sandbox, ripgrep and browser, and says how to mend each; exit 1 where something is wrong.',
      args: [0, 0],
      async run(context) {
        const report = await context.withHost((client) => client.call('host/doctor', {})).catch(hostFailed)
        if (context.json) context.out.json(report)
        else context.out.line(report.checks.map(lineOf).join('\n'))
        return report.ok ? EXIT.ok : EXIT.failed
      },
    },
  },
}

/** A Host that can't start is what a doctor is called for. */
function hostFailed(cause: unknown): { ok: boolean; checks: DoctorCheck[] } {
  const { kind, message, hint } = failureOf(cause)
  if (kind === 'locked') throw cause
  return { ok: false, checks: [{ name: 'host', ok: false, detail: message, ...(hint === undefined ? {} : { mend: hint }) }] }
}

function lineOf(check: DoctorCheck): string {
  const mend = check.mend === undefined ? '' : `\n        ${visible(check.mend)}`
  return `${check.ok ? 'ok   ' : 'WRONG'}  ${visible(check.name)}: ${visible(check.detail)}${mend}`
}
