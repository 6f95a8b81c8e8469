import type { CookieSerializeOptions } from '@fastify/cookie'
import type { FastifyReply, FastifyRequest } from 'fastify'

const lifetimeSeconds = 14 * 24 * 60 * 60

export interface SessionCookie {
  read: (request: FastifyRequest) => string | undefined
  set: (reply: FastifyReply, token: string) => void
  clear: (reply: FastifyReply) => void
}

/** Returns the reader and writer of the session cookie (docs/sign-in.md#session-and-cookie). */
export function sessionCookie(config: { cookieName: string; externalUrl: string }): SessionCookie {
  const { cookieName, externalUrl } = config
  const attributes = ({ request }: FastifyReply): CookieSerializeOptions => ({
    path: '/',
    httpOnly: true,
    sameSite: 'strict',
    secure: externalUrl.startsWith('https://') || request.protocol === 'https',
  })
  return {
    read: (request) => request.cookies[cookieName] || undefined,
    set: (reply, token) => {
      reply.setCookie(cookieName, token, { ...attributes(reply), maxAge: lifetimeSeconds })
    },
    clear: (reply) => {
      reply.setCookie(cookieName, '', { ...attributes(reply), maxAge: 0, expires: new Date(0) })
    },
  }
}
