import { say } from '@coffer/kit/reasons/reasons'
import { refusalOf, refused } from '@coffer/kit/rpc/errors'
import type { Mesh } from '@coffer/kit/rpc/mesh'
import { asCaller, headers } from '@coffer/kit/rpc/rpc'
import { AttemptService } from '@coffer/proto/identity/v1/attempt'
import { ConnectError } from '@connectrpc/connect'
import ipaddr from 'ipaddr.js'
import { LRUCache } from 'lru-cache'
import { isRefusal, isUnknownRpc, throwUnavailable } from '../http/errors/errors.ts'
import type { Counting } from '../http/route.ts'
import type { Sessions } from './session.ts'

// Time for which a network at its limit is refused without a call: one second, minus 1 ms, because
// lru-cache keeps an entry 1 ms longer than its lifetime.
const refusedForMs = 1_000 - 1
const networksMax = 10_000

/**
 * Timeout in ms of the RPC that uncounts an attempt. The client waits for it; on a timeout the
 * attempt stays counted.
 */
const releaseTimeoutMs = 1_000

export interface Attempts {
  /**
   * Runs an attempt of a client and returns its result. Throws refused (429 with `Retry-After`)
   * when the network of the client has reached its limit within a minute, and unavailable (503) if
   * the service identity does not answer.
   */
  run: <Result>(
    client: { ip: string; id: string },
    attempt: () => Promise<Result>,
    counting?: Counting,
  ) => Promise<Result>
}

interface AttemptDeps {
  mesh: Mesh
  clock: () => Date
  config: { signInLimitPerMinute: number }
  sessions: Pick<Sessions, 'anonymous'>
}

/**
 * Returns a rate limit by network: fixed windows of a minute, for guesses of credentials and
 * requests for mails (docs/security.md#guessing-and-flooding). Identity counts for all gateways; a
 * refused network is refused for a second without a call.
 */
export function limitAttempts({ mesh, clock, config, sessions }: AttemptDeps): Attempts {
  const identity = mesh.client('identity', AttemptService)
  const max = config.signInLimitPerMinute
  const refusals = new LRUCache<string, { endsAt: number }>({
    max: networksMax,
    ttl: refusedForMs,
    ttlResolution: 0,
    perf: { now: () => clock().getTime() },
  })
  const admit = async (network: string, requestId: string) => {
    const known = refusals.get(network)
    if (known) throw tooMany(Math.ceil((known.endsAt - clock().getTime()) / 1000))
    const options = {
      ...asCaller(sessions.anonymous()),
      headers: { [headers.requestId]: requestId },
    }
    try {
      const { endsAt } = await identity.admitAttempt({ network, max }, options)
      // Ignores a failed release: the attempt stays counted until the window ends.
      const release = () =>
        identity
          .releaseAttempt({ network, endsAt }, { ...options, timeoutMs: releaseTimeoutMs })
          .catch(() => {})
      return { release }
    } catch (error) {
      // until 0.4: the service identity of 0.2.0 counts no networks, so it limits none.
      if (isUnknownRpc(error)) return { release: async () => {} }
      const refusal = error instanceof ConnectError ? refusalOf(error) : null
      if (refusal?.status !== 429) return throwUnavailable(error)
      const { retryAfterSeconds } = refusal
      refusals.set(network, { endsAt: clock().getTime() + retryAfterSeconds * 1000 })
      throw error
    }
  }
  return {
    run: async ({ ip, id }, attempt, counting = 'refused') => {
      // The attempt counts before its result is known, so that concurrent guesses hit the limit.
      const { release } = await admit(networkOf(ip), id)
      try {
        const result = await attempt()
        if (counting === 'refused') await release()
        return result
      } catch (error) {
        if (counting === 'refused' && !isRefusal(error)) await release()
        throw error
      }
    },
  }
}

function tooMany(retryAfterSeconds: number): Error {
  const refusal = { status: 429, retryAfterSeconds: Math.max(1, retryAfterSeconds) }
  return refused(say('TOO_MANY_ATTEMPTS'), refusal)
}

/**
 * Returns the network of an IP address: an IPv4 address itself, the /64 prefix of IPv6 (RFC 6177).
 */
export function networkOf(address: string): string {
  if (!ipaddr.isValid(address)) return address
  const read = ipaddr.process(address)
  if (read instanceof ipaddr.IPv4) return read.toString()
  const prefix = read.parts.slice(0, 4).map((group) => group.toString(16))
  return `${prefix.join(':')}::`
}
