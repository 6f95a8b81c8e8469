import { refused } from '@coffer/kit/rpc/errors'
import type { FastifyReply, FastifyRequest } from 'fastify'

/**
 * Throws refused (415) for a body with a content coding, and sends `Accept-Encoding: identity`, the
 * only one accepted (RFC 9110, 15.5.16), which means no coding (8.4.1). Bodies are not
 * decompressed: their limits count the received bytes (docs/api/compression.md).
 */
export function requireNoCoding({ headers }: FastifyRequest, reply: FastifyReply): void {
  const codings = (headers['content-encoding'] ?? '').split(',').map((one) => one.trim())
  if (codings.every((one) => one === '' || one.toLowerCase() === 'identity')) return
  reply.header('accept-encoding', 'identity')
  const text = 'a Content-Encoding of the body is not accepted: send the body as it is'
  throw refused(text, { status: 415 })
}
