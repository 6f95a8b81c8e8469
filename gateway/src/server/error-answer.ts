import type { Log } from '@coffer/kit/service/log'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { SessionCookie } from '../auth/cookie.ts'
import { addVary } from '../http/compression.ts'
import { answerOf, endsSession, isDistrusted } from '../http/errors/errors.ts'
import type { ErrorRenderer } from '../http/errors/problem-details.ts'
import type { Route } from '../http/route.ts'
import { hintsOf } from './hints.ts'

/** A failed request, with all that its answer depends on. */
interface Failure {
  error: unknown
  request: FastifyRequest
  reply: FastifyReply
  log: Log
  cookie: SessionCookie
  render: ErrorRenderer
  /** Routes by method and path. */
  byOperation: ReadonlyMap<string, Route>
}

/**
 * Answers a failed request with the status and body of its error (docs/api/errors.md). Logs
 * failures of the server, and clears the cookie of a session that has ended.
 */
export function answerError(failure: Failure): FastifyReply {
  const { error, request, reply, log, cookie, render, byOperation } = failure
  const { id, method, headers, body: bytes, routeOptions } = request
  const isRead = method === 'GET' || method === 'HEAD'
  const { status, body, retryAfterSeconds } = answerOf(error, { isRead })
  const route = byOperation.get(`${method} ${routeOptions?.url}`)
  const { code, problems } = body
  const hints = hintsOf({ status, code, problems, headers, bytes, route })
  if (hints.length > 0) body.hints = hints
  if (status === 500) {
    log.error({ err: error, requestId: id, method, route: routeOptions?.url }, 'request failed')
    body.requestId = id
  }
  if (isDistrusted(error)) {
    const text = 'a service does not accept the caller token: compare clocks and keys'
    log.error({ err: error, requestId: id, method, route: routeOptions?.url }, text)
  }
  // Only the end of the session clears its cookie, not a 401 for a wrong code or password.
  if (endsSession(error)) cookie.clear(reply)
  // Keeps the connection: closing it while the client still sends would reset it and lose the
  // answer. The rest of the body is read and discarded until the request timeout.
  if (status === 413) reply.removeHeader('connection')
  if (retryAfterSeconds && !reply.hasHeader('retry-after')) {
    reply.header('retry-after', retryAfterSeconds)
  }
  addVary(reply, 'accept')
  // If a stream fails before its first byte, the error is sent uncompressed.
  reply.removeHeader('content-encoding')
  const { type, text } = render(headers, { status, body })
  return reply.code(status).header('content-type', type).send(text)
}
