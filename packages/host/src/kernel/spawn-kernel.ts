/** Starts a Kernel's process. Small on purpose: it is loaded and run before the rest of the Host. */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { getCompileCacheDir } from 'node:module'

/** `ended` says why, once. */
export type KernelChild = { readonly process: ChildProcessWithoutNullStreams; readonly ended: Promise<string> }

export function spawnKernel(entry: string, env: NodeJS.ProcessEnv): KernelChild {
  const child = spawn(process.execPath, [entry], { stdio: ['pipe', 'pipe', 'pipe'], env: childEnvironment(env) })
  const ended = new Promise<string>((resolve) => {
    child.once('error', (cause) => resolve(cause.message))
    child.once('exit', (code, signal) => resolve(signal === null ? `code ${code ?? '?'}` : `signal ${signal}`))
  })
  return { process: child, ended }
}

const PASSED_ON = [
  'PATH',
  'HOME',
  'USER',
  'LOGNAME',
  'SHELL',
  'LANG',
  'LC_ALL',
  'LC_CTYPE',
  'TZ',
  'TMPDIR',
  'TERM',
  'HTTPS_PROXY',
  'https_proxy',
  'HTTP_PROXY',
  'http_proxy',
  'ALL_PROXY',
  'all_proxy',
  'NO_PROXY',
  'no_proxy',
  'NODE_EXTRA_CA_CERTS',
  'NODE_COMPILE_CACHE',
  'NUUM_LOG',
  'SystemRoot',
  'USERPROFILE',
  'APPDATA',
]

function childEnvironment(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const cache = getCompileCacheDir()
  return {
    ...(cache === undefined ? {} : { NODE_COMPILE_CACHE: cache }),
    ...Object.fromEntries(PASSED_ON.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]]))),
    NODE_NO_WARNINGS: '1',
  }
}
