/** A program in a terminal of its own. Bytes as they come: what they mean is for the reader to decide. */

export type Pty = {
  readonly pid: number
  readonly onData: (listener: (data: Uint8Array) => void) => unknown
  readonly onExit: (listener: (exit: { exitCode: number; signal?: number | undefined }) => void) => unknown
  readonly write: (data: string) => void
  readonly resize: (cols: number, rows: number) => void
}
export type SpawnPty = (
  file: string,
  args: readonly string[],
  options: { cwd: string; env: Record<string, string>; cols: number; rows: number },
) => Pty

/** Loaded when the first terminal is needed: it is a native library. */
export async function loadPty(): Promise<SpawnPty> {
  const { spawn } = await import('@lydell/node-pty')
  return (file, args, options) => {
    const pty = spawn(file, [...args], { ...options, name: 'xterm-256color', encoding: null })
    return {
      pid: pty.pid,
      onData: (listener) => pty.onData((data: unknown) => listener(Buffer.isBuffer(data) ? data : Buffer.from(String(data)))),
      onExit: (listener) => pty.onExit(listener),
      write: (data) => pty.write(data),
      resize: (cols, rows) => pty.resize(cols, rows),
    }
  }
}
