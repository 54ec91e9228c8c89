/** Sessions over WebSocket. A message that is too large ends the connection; a dead peer is noticed by pings. */
import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import type { WebSocketServer } from 'ws'
import type { Connection, Sessions } from './sessions.ts'

const MAX_MESSAGE_BYTES = 16 * 1024 * 1024
const PING_MS = 30_000

export type SocketServer = { readonly upgrade: (request: IncomingMessage, socket: Duplex, head: Buffer) => void; readonly close: () => void }

export function createSocketServer(sessions: Sessions, log: (line: string) => void): SocketServer {
  let loading: Promise<WebSocketServer> | null = null
  // Loaded with the first client: a Host that was started for one command has none.
  const server = () => (loading ??= import('ws').then((ws) => new ws.WebSocketServer({ noServer: true, maxPayload: MAX_MESSAGE_BYTES })))

  return {
    upgrade(request, socket, head) {
      void server().then((ready) =>
        ready.handleUpgrade(request, socket, head, (client) => {
          let alive = true
          const connection: Connection = sessions.connect(
            { send: (text) => client.send(text), backlogBytes: () => client.bufferedAmount },
            { role: 'owner', channel: request.headers.origin === undefined ? 'cli' : 'app' },
          )
          const pings = setInterval(() => {
            if (!alive) return client.terminate()
            alive = false
            client.ping()
          }, PING_MS)
          pings.unref()
          client.on('pong', () => {
            alive = true
          })
          client.on('message', (data) => {
            alive = true
            connection.receive(
              Buffer.isBuffer(data)
                ? data.toString('utf8')
                : Array.isArray(data)
                  ? Buffer.concat(data).toString('utf8')
                  : Buffer.from(data).toString('utf8'),
            )
          })
          client.on('error', (cause) => log(`socket: ${cause.message}`))
          client.on('close', () => {
            clearInterval(pings)
            connection.close()
          })
        }),
      )
    },
    close() {
      void loading?.then((ready) => {
        for (const client of ready.clients) client.terminate()
        ready.close()
      })
    },
  }
}
