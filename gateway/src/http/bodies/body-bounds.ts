import { say } from '@coffer/kit/reasons/reasons'
import { refused } from '@coffer/kit/rpc/errors'
import { findExcess } from '@coffer/kit/values/json'
import type { Route } from '../route.ts'

/** Bounds of the body of a request (docs/limits.md). */
interface BodyBounds {
  bytesMax: number
  /** The maximum size as a text, such as `6 MiB`. */
  size: string
  /** Maximum number of tokens of JSON: opening brackets, colons and commas. */
  tokensMax: number
}

/** Maximum size of the body of a request, in bytes. */
export const bodySizeMax = 6 * 1024 * 1024

const depthMax = 32

const common: BodyBounds = { bytesMax: bodySizeMax, size: '6 MiB', tokensMax: 20_000 }

// For clients without a verified credential: a body costs CPU before any rate limit applies.
const beforeSignIn: BodyBounds = { bytesMax: 64 * 1024, size: '64 KiB', tokensMax: 1_000 }

// Webhooks of Stripe and Plaid: not parsed here, but by their service after it has verified the
// signature.
const webhook: BodyBounds = { bytesMax: 1024 * 1024, size: '1 MiB', tokensMax: 0 }

/** Returns the bounds of a route's bodies. */
export function bodyBoundsOf(route: Pick<Route, 'auth' | 'webhook'>): BodyBounds {
  if (route.webhook) return webhook
  return route.auth === 'none' || route.auth === 'multifactor' ? beforeSignIn : common
}

/**
 * Throws refused (400) for JSON with too many levels or tokens: parsing and validation block the
 * event loop for a time that grows with both.
 */
export function requireBounded(bytes: Uint8Array, { tokensMax }: Pick<BodyBounds, 'tokensMax'>) {
  const excess = findExcess(bytes, { depthMax, tokensMax })
  if (excess === 'depth') throw refused(`the body is nested deeper than ${depthMax} levels`)
  if (excess === null) return
  throw refused(`the body has more than ${tokensMax} opening brackets, colons and commas`)
}

/** Returns the refusal (413) of a body above the maximum size of its route. */
export function tooLarge({ size }: Pick<BodyBounds, 'size'> = common) {
  return refused(say('BODY_TOO_LARGE', { size }), { status: 413 })
}
