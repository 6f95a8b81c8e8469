import type { Log } from '@coffer/kit/service/log'
import { observeHttp } from '@coffer/kit/service/telemetry'
import type { FastifyReply, FastifyRequest } from 'fastify'

/** Status of a request whose client left before the end of its answer, as nginx logs it. */
const clientLeft = 499
const switchedProtocols = 101

/** Where the path is none of ours, or not well-formed: paths may hold anything. */
const noRoute = 'none'

/** Logs and times one request, once its answer has ended. */
export type AccessLog = (request: FastifyRequest, reply: FastifyReply) => void

/**
 * One line a request: what was asked (the route with the names of its parameters, no values, no
 * query, no body), by which account, and how it went. A WebSocket is logged when it closes.
 */
export function createAccessLog(
  log: Log,
  accountIdOf: (request: FastifyRequest) => string | undefined,
): AccessLog {
  return (request, reply) => {
    const startedAt = performance.now()
    reply.raw.once('close', () => {
      const ms = Math.round(10 * (performance.now() - startedAt)) / 10
      const { method, id: requestId } = request
      const route = request.routeOptions.url ?? noRoute
      const status = statusOf(request, reply)
      observeHttp({ method, route, status, seconds: ms / 1000 })
      const accountId = accountIdOf(request) || undefined
      log.info({ method, route, status, ms, requestId, accountId }, 'request')
    })
  }
}

function statusOf({ ws }: FastifyRequest, { raw, sent }: FastifyReply): number {
  if (raw.writableFinished) return raw.statusCode
  return ws && sent ? switchedProtocols : clientLeft
}
