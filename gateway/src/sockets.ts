import { forbidden, refused, unavailable } from '@coffer/kit/errors'
import type { FastifyRequest } from 'fastify'
import type { WebSocket } from 'ws'

/** Sockets of one account at a time; a browser needs one for each upload it shows. */
const socketsPerAccountMax = 20

export interface Sockets {
  /** Throws unless the request may open a socket: 403, 429, 503. */
  admit: (request: FastifyRequest, accountId: string) => void
  /** Counts the socket until it closes. */
  hold: (socket: WebSocket, accountId: string) => void
}

/** Keeps sockets bounded, and closed to pages of other sites (spec/decisions.md, Syncs). */
export function createSockets(config: {
  socketsMax: number
  socketOrigins: string[]
  externalUrl: string
}): Sockets {
  const { socketsMax, socketOrigins, externalUrl } = config
  const origins = new Set([...socketOrigins, externalUrl].flatMap((url) => originOf(url) ?? []))
  const open = new Map<string, number>()
  let total = 0
  const count = (accountId: string, step: 1 | -1) => {
    const held = (open.get(accountId) ?? 0) + step
    if (held > 0) open.set(accountId, held)
    else open.delete(accountId)
    total += step
  }
  return {
    admit: (request, accountId) => {
      const origin = originOf(request.headers.origin ?? '')
      const isOwn = origin !== null && new URL(origin).host === request.headers.host
      if (!isOwn && !origins.has(origin ?? '')) {
        throw forbidden('sockets are open to pages of this host only')
      }
      if (total >= socketsMax) throw unavailable('too many open sockets')
      if ((open.get(accountId) ?? 0) >= socketsPerAccountMax) {
        throw refused('too many open sockets', { status: 429 })
      }
    },
    hold: (socket, accountId) => {
      count(accountId, 1)
      socket.once('close', () => count(accountId, -1))
    },
  }
}

function originOf(url: string): string | null {
  return URL.canParse(url) && /^https?:/.test(url) ? new URL(url).origin : null
}
