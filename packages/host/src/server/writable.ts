/** Refuses a change where the home is open for reading only. */
import { NuumError } from '@nuum/protocol'
import type { App } from '../app.ts'

export function assertWritable(app: App): void {
  if (app.readOnly !== null) throw new NuumError('newer_format', app.readOnly, { hint: 'Install the newer Nuum to change it.' })
}
