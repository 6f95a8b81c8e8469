import type { FastifyRequest } from 'fastify'
import Negotiator from 'negotiator'

/**
 * Returns whether `Accept` prefers a media type to JSON (RFC 9110, 12.5.1), as browsers prefer
 * pictures for an `img`.
 */
export function prefersToJson(request: FastifyRequest, mediaType: string): boolean {
  return new Negotiator(request.raw).mediaType(['application/json', mediaType]) === mediaType
}
