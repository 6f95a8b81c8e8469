import { forbidden, refused, unavailable } from '@coffer/kit/errors'
import type { FastifyRequest } from 'fastify'
import type { WebSocket } from 'ws'
import type { Origins } from './origins.ts'
import { isBasic } from './session.ts'

/** Sockets of one account at a time; a browser needs one for each upload it shows. */
const socketsPerAccountMax = 20

export interface Sockets {
  /** Throws unless the request may open a socket: 403, 429, 503. */
  admit: (request: FastifyRequest, accountId: string) => void
  /** Counts the socket until it closes. */
  hold: (socket: WebSocket, accountId: string) => void
}

/** Keeps sockets bounded, and closed to pages of other sites (spec/decisions.md, Syncs). */
export function createSockets({ socketsMax }: { socketsMax: number }, origins: Origins): Sockets {
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
      const { origin, authorization } = request.headers
      // Browsers always name the page; a client with a key is none where it names no page.
      const isByClient = origin === undefined && isBasic(authorization)
      if (!isByClient && !origins.isOwn(origin, request)) {
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
