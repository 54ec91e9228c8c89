/** The local server: loopback only, the app's files, one WebSocket. Everything but the sign-in address needs the token or its cookie. */
import { readFile } from 'node:fs/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { extname, join, normalize, sep } from 'node:path'
import { NuumError } from '@nuum/protocol'
import type { Access } from './access.ts'

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.woff2': 'font/woff2',
  '.json': 'application/json',
  '.map': 'application/json',
  '.txt': 'text/plain; charset=utf-8',
}
const CSP =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; font-src 'self'; connect-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

export type HttpServer = { readonly port: () => number; readonly close: () => Promise<void> }
type Deps = {
  readonly uiDir: string
  readonly access: () => Access
  readonly onUpgrade: (request: IncomingMessage, socket: Duplex, head: Buffer) => void
  readonly log: (line: string) => void
}

export async function startHttp(port: number, deps: Deps): Promise<HttpServer> {
  // Not by `import`: that would read every export, and the one for WebSocket loads all of Node's fetch, a quarter of the way to being ready.
  const { createServer } = process.getBuiltinModule('node:http')
  const server = createServer((request, response) => {
    respond(request, response, deps).catch((cause: unknown) => {
      deps.log(`http: ${String(cause)}`)
      send(response, 500, 'text/plain; charset=utf-8', 'Something went wrong inside Nuum; its log has the details.\n')
    })
  })
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    socket.on('error', () => socket.destroy()) // one that goes in the middle of its greeting; nobody else listens yet
    const access = deps.access()
    const url = urlOf(request)
    const refuse = (status: string) => socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\n\r\n`)
    if (!access.isLocal(request.headers)) refuse('403 Forbidden')
    else if (url?.pathname !== '/rpc') refuse('404 Not Found')
    else if (!access.isSignedIn(request.headers, url)) refuse('401 Unauthorized')
    else deps.onUpgrade(request, socket, head)
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', (cause: NodeJS.ErrnoException) =>
      reject(
        cause.code === 'EADDRINUSE'
          ? new NuumError('conflict', `Port ${port} is taken by another program.`, { hint: 'Choose another with --port, or 0 for a free one.' })
          : cause,
      ),
    )
    server.listen(port, '127.0.0.1', resolve)
  })
  return {
    port: () => {
      const address = server.address()
      return typeof address === 'object' && address !== null ? address.port : 0
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

async function respond(request: IncomingMessage, response: ServerResponse, deps: Deps): Promise<void> {
  const access = deps.access()
  if (!access.isLocal(request.headers))
    return send(response, 403, 'text/plain; charset=utf-8', 'This server answers only its own pages on this computer.\n')
  const url = urlOf(request)
  if (url === null) return send(response, 400, 'text/plain; charset=utf-8', 'That is no address of this server.\n')
  if (request.method !== 'GET' && request.method !== 'HEAD') return send(response, 405, 'text/plain; charset=utf-8', 'Only pages are served here.\n')
  if (url.pathname.startsWith('/open/')) {
    const cookie = access.redeem(url.pathname.slice('/open/'.length))
    if (cookie !== null) return void response.writeHead(303, { ...SECURITY, location: '/', 'set-cookie': cookie }).end()
    if (access.isSignedIn(request.headers, url)) return void response.writeHead(303, { ...SECURITY, location: '/' }).end()
    return send(response, 401, TYPES['.html'] ?? '', SIGNED_OUT)
  }
  if (!access.isSignedIn(request.headers, url)) return send(response, 401, TYPES['.html'] ?? '', SIGNED_OUT)
  await serveFile(url.pathname, response, deps.uiDir)
}

/** null for what no address can be made of, `//` for example: any page can ask for it. */
function urlOf({ url = '/' }: IncomingMessage): URL | null {
  return URL.canParse(url, 'http://localhost') ? new URL(url, 'http://localhost') : null
}

async function serveFile(pathname: string, response: ServerResponse, uiDir: string): Promise<void> {
  const asked = normalize(decodePath(pathname))
  const file = asked === '/' || extname(asked) === '' ? 'index.html' : asked
  const path = join(uiDir, file)
  const body = path.startsWith(join(uiDir, sep)) ? await readFile(path).catch(() => null) : null
  if (body === null && file === 'index.html') return send(response, 503, TYPES['.html'] ?? '', NOT_BUILT)
  if (body === null) return send(response, 404, 'text/plain; charset=utf-8', 'There is no such file.\n')
  const immutable = file.startsWith('/assets/') || file.startsWith('assets/')
  response
    .writeHead(200, {
      ...SECURITY,
      'content-type': TYPES[extname(file)] ?? 'application/octet-stream',
      'cache-control': immutable ? 'public, max-age=31536000, immutable' : 'no-store',
    })
    .end(body)
}

function decodePath(pathname: string): string {
  try {
    return decodeURIComponent(pathname)
  } catch {
    return '/missing.txt'
  }
}

const SECURITY = {
  'content-security-policy': CSP,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'x-frame-options': 'DENY',
}

function send(response: ServerResponse, status: number, type: string, body: string): void {
  if (response.headersSent) return void response.end()
  response.writeHead(status, { ...SECURITY, 'content-type': type, 'cache-control': 'no-store' }).end(body)
}

const page = (text: string) =>
  `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Nuum</title><body><main><h1>Nuum</h1>${text}</main></body></html>\n`
const SIGNED_OUT = page(
  '<p>This address was already used, or Nuum was started again since.</p><p>Run <code>npx nuum</code> to open the app with a fresh one.</p><p lang="zh">此地址已用过，或 Nuum 已重新启动。请运行 <code>npx nuum</code> 获取新的地址。</p>',
)
const NOT_BUILT = page('<p>The app is not built yet. Run <code>npm start</code>, which builds it.</p>')
