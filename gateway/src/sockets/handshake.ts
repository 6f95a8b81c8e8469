import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { refused } from '@coffer/kit/rpc/errors'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Route } from '../http/route.ts'

/**
 * Returns a function that decides whether a request is a WebSocket handshake (RFC 6455, 4.2.1) for
 * one of the routes. Any other `Upgrade` is ignored and answered as a normal request (RFC 9110,
 * 7.8). Prevents request smuggling: a request with a body is no handshake, so that the HTTP parser
 * reads the body.
 */
export function createHandshakeCheck(
  routes: readonly Route[],
): (request: IncomingMessage) => boolean {
  const paths = routes.flatMap(({ path, socket }) => {
    return socket ? new RegExp(`^${path.replaceAll(/:\w+/g, '[^/]*')}$`) : []
  })
  return ({ method, httpVersion, headers, url = '' }) => {
    if (method !== 'GET' || httpVersion !== '1.1' || hasBody(headers)) return false
    const [path = ''] = url.split('?', 1)
    return headers.upgrade?.toLowerCase() === 'websocket' && paths.some((one) => one.test(path))
  }
}

/** Throws refused (426) unless a handshake has version 13 (RFC 6455, 4.4). */
export function requireVersion({ headers }: FastifyRequest, reply: FastifyReply): void {
  if (headers['sec-websocket-version'] === '13') return
  reply.headers({
    // `Connection` has to name the header `Upgrade` (RFC 9110, 7.8).
    connection: 'close, upgrade',
    upgrade: 'websocket',
    'sec-websocket-version': '13',
  })
  throw refused('the version of the WebSocket must be 13: send Sec-WebSocket-Version: 13', {
    status: 426,
  })
}

function hasBody(headers: IncomingHttpHeaders): boolean {
  const { 'transfer-encoding': encoding, 'content-length': length = '0' } = headers
  return encoding !== undefined || Number(length) !== 0
}
