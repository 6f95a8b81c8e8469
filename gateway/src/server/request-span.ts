import { startRoot, traceHeader } from '@coffer/kit/telemetry/trace'
import type { FastifyReply, FastifyRequest, HookHandlerDoneFunction } from 'fastify'

/**
 * Hook that runs a request in the first span of its trace. A client's `traceparent` gives the trace
 * ID (W3C Trace Context). The span has names and numbers: no values of parameters, no body.
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
