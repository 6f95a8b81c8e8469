import type { Log } from '@coffer/kit/service/log'
import { createHistogram } from '@coffer/kit/telemetry/meter'
import { currentTraceId } from '@coffer/kit/telemetry/trace'
import type { FastifyReply, FastifyRequest } from 'fastify'

const observeHttpSeconds = createHistogram({
  name: 'coffer_http_request_seconds',
  help: 'Time a REST request took, by route and status.',
  labelNames: ['method', 'route', 'status'],
})

/**
 * Logged status if the client closes the connection before the answer ends; the same as in nginx.
 */
const clientClosed = 499
const switchedProtocols = 101

/** Logged route of an unknown or malformed path. The path is not logged: it may contain secrets. */
const noRoute = 'none'

/** Logs a request and records its metrics after the answer has ended. */
export type AccessLog = (request: FastifyRequest, reply: FastifyReply) => void

/**
 * Returns the access log: one line per request (docs/operations.md#logs). The route contains the
 * names of parameters, not their values; query and body are not logged. A WebSocket is logged when
 * it closes.
 */
export function createAccessLog(log: Log): AccessLog {
  return (request, reply) => {
    const startedAt = performance.now()
    const traceId = currentTraceId()
    reply.raw.on('close', () => {
      const ms = Math.round(10 * (performance.now() - startedAt)) / 10
      const { method, id: requestId, admission } = request
      const route = request.routeOptions.url ?? noRoute
      const status = statusOf(request, reply)
      observeHttpSeconds(ms / 1000, method, route, String(status))
      const accountId = admission?.accountId || undefined
      log.info({ method, route, status, ms, requestId, accountId, traceId }, 'request')
    })
  }
}

function statusOf({ ws }: FastifyRequest, { raw, sent }: FastifyReply): number {
  if (raw.writableFinished) return raw.statusCode
  return ws && sent ? switchedProtocols : clientClosed
}
