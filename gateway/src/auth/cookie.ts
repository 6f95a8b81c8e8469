import type { CookieSerializeOptions } from '@fastify/cookie'
import type { FastifyReply, FastifyRequest } from 'fastify'

const lifetimeSeconds = 14 * 24 * 60 * 60

export interface SessionCookie {
  /** Returns the name of the cookie that answers to the request set. */
  nameFor: (request: FastifyRequest) => string
  read: (request: FastifyRequest) => string | undefined
  /** `endsWithBrowser` leaves out Max-Age: a browser then forgets the cookie when it is closed. */
  set: (reply: FastifyReply, token: string, of: { endsWithBrowser: boolean }) => void
  clear: (reply: FastifyReply) => void
}

/**
 * Returns the path of the cookie: that of the external URL, so that two servers on one host with
 * different paths have separate sessions.
 */
function cookiePath(externalUrl: string): string {
  return externalUrl === '' ? '/' : new URL(externalUrl).pathname.replace(/\/+$/, '') || '/'
}

/**
 * Returns the names of the cookie with and without Secure, from the name in the settings. Browsers
 * accept the prefix `__Host-` only with Secure, the path `/` and no domain, and `__Secure-` with
 * Secure (RFC 6265bis, 4.1.3).
 */
export function cookieNames(config: { cookieName: string; externalUrl: string }): {
  secure: string
  plain: string
} {
  const plain = config.cookieName.replace(/^__(host|secure)-/i, '')
  const prefix = cookiePath(config.externalUrl) === '/' ? '__Host-' : '__Secure-'
  return { secure: `${prefix}${plain}`, plain }
}

/**
 * Returns the reader and writer of the session cookie (docs/sign-in.md#session-and-cookie). Where
 * it is Secure, its name has the prefix `__Host-`, or `__Secure-` below a path: no page without TLS
 * can set it, and with `__Host-` no other host.
 * until 0.4: the name in the settings is read and cleared, because 0.2.0 set it.
 */
export function sessionCookie(config: { cookieName: string; externalUrl: string }): SessionCookie {
  const { cookieName, externalUrl } = config
  const names = cookieNames(config)
  const path = cookiePath(externalUrl)
  const isSecure = ({ protocol }: FastifyRequest) =>
    externalUrl.startsWith('https://') || protocol.toLowerCase() === 'https'
  const nameFor = (request: FastifyRequest) => (isSecure(request) ? names.secure : names.plain)
  const attributes = ({ request }: FastifyReply): CookieSerializeOptions => ({
    path,
    httpOnly: true,
    sameSite: 'strict',
    secure: isSecure(request),
  })
  const clearOne = (reply: FastifyReply, name: string) => {
    reply.setCookie(name, '', { ...attributes(reply), maxAge: 0, expires: new Date(0) })
  }
  const read = (request: FastifyRequest, ...names: string[]) => {
    const { cookie } = request.headers
    if (cookie === undefined) return undefined
    const sent = request.server.parseCookie(cookie)
    return names.map((name) => sent[name]).find(Boolean)
  }
  return {
    nameFor,
    read: (request) => read(request, nameFor(request), cookieName),
    set: (reply, token, { endsWithBrowser }) => {
      const name = nameFor(reply.request)
      const lasting = endsWithBrowser ? {} : { maxAge: lifetimeSeconds }
      reply.setCookie(name, token, { ...attributes(reply), ...lasting })
      const isBoth = name !== cookieName && read(reply.request, cookieName) !== undefined
      if (isBoth) clearOne(reply, cookieName)
    },
    clear: (reply) => {
      for (const name of new Set([nameFor(reply.request), cookieName])) clearOne(reply, name)
    },
  }
}
