import { startRoot, traceHeader } from '@coffer/kit/telemetry/trace'
import type { FastifyReply, FastifyRequest, HookHandlerDoneFunction } from 'fastify'

/**
 * Hook that runs a request in the root span of its trace. The client may set the trace ID by
 * `traceparent` (W3C Trace Context). The span has names and numbers, but no parameter values and no
 * body.
 */
export function traceRequest(
  request: FastifyRequest,
  { raw }: FastifyReply,
  done: HookHandlerDoneFunction,
): void {
  const { method, id, headers } = request
  const route = request.routeOptions.url ?? 'none'
  const parent = headers[traceHeader]
  const span = startRoot(`${method} ${route}`, {
    kind: 'server',
    parent: typeof parent === 'string' ? parent : null,
    attributes: { 'http.request.method': method, 'http.route': route, 'coffer.request_id': id },
  })
  if (!span) {
    done()
    return
  }
  raw.once('close', () => {
    if (raw.statusCode >= 500) span.fail({ code: String(raw.statusCode) })
    span.end({ 'http.response.status_code': raw.statusCode })
  })
  span.run(done)
}
