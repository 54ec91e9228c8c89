/**
 * The two FIFOs of a shell: commands in, reports out. Made in a private folder outside of every mount, opened by us first (so nobody waits for the other end),
 * and unlinked as soon as bash holds them. Read and written without blocking: a shell that hangs must not hang us.
 */
import { execFile } from 'node:child_process'
import * as fs from 'node:fs'
import { Socket } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { NuumError } from '@nuum/protocol'
import { findSystemProgram } from '@nuum/sandbox'

const MAX_REPORT_BYTES = 4 * 1024 * 1024

export type Channels = {
  readonly commandFifo: string
  readonly reportFifo: string
  readonly argsFile: string
  readonly send: (lines: string) => void
  /** Removes the names; the open ends stay. */
  readonly unlink: () => void
  readonly close: () => void
}

export async function openChannels(folder: string, args: string | null, onReport: (fields: readonly string[]) => void): Promise<Channels> {
  const mkfifo = findSystemProgram('mkfifo')
  if (mkfifo === null) throw new NuumError('unavailable', 'The program mkfifo was not found in the system folders; the shell needs it.')
  fs.mkdirSync(folder, { recursive: true, mode: 0o700 })
  const own = fs.mkdtempSync(join(folder, 'shell-'))
  const [commandFifo, reportFifo, argsFile] = [join(own, 'commands'), join(own, 'reports'), join(own, 'args')]
  const unlink = (): void => fs.rmSync(own, { recursive: true, force: true })
  try {
    await promisify(execFile)(mkfifo, ['-m', '600', commandFifo, reportFifo], { env: {} })
    if (args !== null) fs.writeFileSync(argsFile, args, { mode: 0o600, flag: 'wx' })
    const commands = openFifo(commandFifo, { readable: false, writable: true })
    const reports = openFifo(reportFifo, { readable: true, writable: false })
    reports.on('data', splitReports(onReport))
    return {
      commandFifo,
      reportFifo,
      argsFile,
      unlink,
      send: (lines) => void commands.write(lines),
      close: () => {
        commands.destroy()
        reports.destroy()
        unlink()
      },
    }
  } catch (cause) {
    unlink()
    throw cause
  }
}

function openFifo(path: string, ends: { readable: boolean; writable: boolean }): Socket {
  const { O_RDWR, O_NONBLOCK } = fs.constants
  const socket = new Socket({ fd: fs.openSync(path, O_RDWR | O_NONBLOCK), ...ends })
  socket.on('error', () => socket.destroy()) // the shell's own end is what is told
  return socket
}

/** Fields end with NUL, a report with one more. What is not a report of ours (any program inside may write there) is for the caller to ignore. */
function splitReports(onReport: (fields: readonly string[]) => void): (chunk: Buffer) => void {
  let pending = Buffer.alloc(0)
  return (chunk) => {
    pending = Buffer.concat([pending, chunk])
    for (let end = pending.indexOf('\0\0'); end !== -1; end = pending.indexOf('\0\0')) {
      onReport(pending.subarray(0, end).toString('utf8').replace(/^\0+/, '').split('\0'))
      pending = pending.subarray(end + 2)
    }
    if (pending.length > MAX_REPORT_BYTES) pending = Buffer.alloc(0)
  }
}
