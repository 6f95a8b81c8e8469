import { forbidden } from '@coffer/kit/rpc/errors'
import type { FastifyRequest } from 'fastify'
import type { WebSocket } from 'ws'
import type { Origins } from '../auth/origins.ts'
import { isBasic } from '../auth/session.ts'
import { createPlaces } from '../http/places.ts'

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
  const text = 'too many open sockets'
  const places = createPlaces({ max: socketsMax, perAccountMax: socketsPerAccountMax, text })
  return {
    admit: (request, accountId) => {
      const { origin, authorization } = request.headers
      // Browsers always name the page; a client with a key is none where it names no page.
      const isByClient = origin === undefined && isBasic(authorization)
      if (!isByClient && !origins.isOwn(origin, request)) {
        throw forbidden('sockets are open to pages of this host only')
      }
      places.requireFree(accountId)
    },
    hold: (socket, accountId) => {
      socket.once('close', places.take(accountId))
    },
  }
}
