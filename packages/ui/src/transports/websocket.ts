/** The Host's one WebSocket at `/rpc` of the page's own origin; the cookie that came with the page signs it in. */
import type { OpenTransport } from './transport.ts'

const REFUSED = new Set([401, 403])

/** A browser doesn't tell why a handshake failed, so a plain request asks. */
async function isSignedOut(url: URL): Promise<boolean> {
  const page = new URL(url)
  page.protocol = url.protocol === 'wss:' ? 'https:' : 'http:'
  const status = await fetch(page, { cache: 'no-store', redirect: 'manual' }).then(
    (response) => response.status,
    () => 0,
  )
  return REFUSED.has(status)
}

export function webSocketTransport(page: URL): OpenTransport {
  const url = new URL('/rpc', page)
  url.protocol = page.protocol === 'https:' ? 'wss:' : 'ws:'
  return (events) => {
    const socket = new WebSocket(url)
    let hasOpened = false
    let isClosed = false
    const close = (signedOut: boolean) => {
      if (isClosed) return
      isClosed = true
      events.onClosed({ signedOut })
    }
    socket.addEventListener('open', () => {
      hasOpened = true
      events.onOpen()
    })
    socket.addEventListener('message', (message) => {
      if (!isClosed && typeof message.data === 'string') events.onMessage(message.data)
    })
    socket.addEventListener('close', () => {
      if (hasOpened) close(false)
      else void isSignedOut(url).then(close)
    })
    return {
      send: (text) => socket.send(text),
      close: () => {
        socket.close()
        close(false)
      },
    }
  }
}
