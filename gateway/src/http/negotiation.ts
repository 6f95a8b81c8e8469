import type { FastifyRequest } from 'fastify'
import Negotiator from 'negotiator'

/**
 * Content negotiation: returns whether `Accept` prefers a media type to JSON (RFC 9110, 12.5.1).
 * Browsers prefer images for an `img`, for example.
 */
export function prefersToJson(request: FastifyRequest, mediaType: string): boolean {
  return new Negotiator(request.raw).mediaType(['application/json', mediaType]) === mediaType
}
