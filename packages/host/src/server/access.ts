/**
 * Who may speak to the server: the holder of this start's token, by header or by the cookie that a one-time address sets.
 * Requests under a foreign Host or Origin are refused before anything else, so that no web page reaches the Host. Pure but for its codes.
 */
import { createHash, timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'

export type Access = {
  readonly isLocal: (headers: IncomingHttpHeaders) => boolean
  readonly isSignedIn: (headers: IncomingHttpHeaders, url: URL) => boolean
  readonly newCode: () => string
  readonly redeem: (code: string) => string | null // the cookie to set
}

export function createAccess(token: string, port: () => number, newSecret: () => string): Access {
  const codes = new Set<string>()
  const sessions = new Set<string>()
  const cookieName = () => `nuum_${port()}`
  const hosts = () => [`127.0.0.1:${port()}`, `localhost:${port()}`, `[::1]:${port()}`]

  return {
    isLocal({ host, origin }) {
      if (host === undefined || !hosts().includes(host.toLowerCase())) return false
      return origin === undefined || hosts().some((known) => origin.toLowerCase() === `http://${known}`)
    },
    isSignedIn({ authorization, cookie }, url) {
      const bearer = /^Bearer (.+)$/i.exec(authorization ?? '')?.[1]
      if (bearer !== undefined) return same(bearer, token)
      const asked = url.searchParams.get('token')
      if (asked !== null) return same(asked, token)
      const value = (cookie ?? '')
        .split(';')
        .map((pair) => pair.trim())
        .find((pair) => pair.startsWith(`${cookieName()}=`))
        ?.slice(cookieName().length + 1)
      return value !== undefined && [...sessions].some((session) => same(session, value))
    },
    newCode() {
      const code = newSecret()
      codes.add(code)
      return code
    },
    redeem(code) {
      if (!codes.delete(code)) return null
      const session = newSecret()
      sessions.add(session)
      return `${cookieName()}=${session}; Path=/; HttpOnly; SameSite=Strict`
    },
  }
}

/** Compared by digest, so that neither length nor content shows in the time it takes. */
function same(a: string, b: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(a), digest(b))
}
