/** Opens an address in the person's browser where there is a desktop to do it on; a failure is a remark, the address was printed. */
import { spawn } from 'node:child_process'
import type { Context } from './context.ts'

export type Opener = { readonly file: string; readonly args: readonly string[] }

/** Null where a browser is not wanted or can't be seen. */
export function openerFor(url: string, platform: NodeJS.Platform, env: NodeJS.ProcessEnv): Opener | null {
  if (env.NUUM_NO_BROWSER || (env.CI && env.CI !== 'false')) return null
  if (platform === 'darwin') return { file: 'open', args: [url] }
  if (platform === 'win32') return { file: 'rundll32', args: ['url.dll,FileProtocolHandler', url] }
  return env.DISPLAY || env.WAYLAND_DISPLAY ? { file: 'xdg-open', args: [url] } : null
}

export async function openBrowser(url: string, context: Pick<Context, 'platform' | 'env' | 'out'>): Promise<void> {
  const opener = openerFor(url, context.platform, context.env)
  if (opener === null) return
  const child = spawn(opener.file, opener.args, { stdio: 'ignore', detached: true })
  await new Promise<void>((resolve) => {
    child.once('spawn', resolve)
    child.once('error', (error) => {
      context.out.note(`nuum: no browser could be opened (${error.message}); open the address yourself.`)
      resolve()
    })
  })
  child.unref()
}
