import { timestampDate, timestampFromDate } from '@bufbuild/protobuf/wkt'
import { say } from '@coffer/kit/reasons/reasons'
import { refused } from '@coffer/kit/rpc/errors'
import type { AttemptService } from '@coffer/proto/identity/v1/attempt'
import type { ServiceImpl } from '@connectrpc/connect'
import { hashOf } from '../book/secret.ts'
import type { IdentityDeps } from '../deps.ts'
import { countNetworkAttempt, releaseNetworkAttempt } from './network-attempt.sql.ts'

const windowMs = 60_000

/** Returns the RPCs that limit attempts by network (docs/security.md#guessing-and-flooding). */
export function attempts({
  database,
  clock,
}: Pick<IdentityDeps, 'database' | 'clock'>): ServiceImpl<typeof AttemptService> {
  return {
    admitAttempt: async ({ network, max }) => {
      const now = clock()
      const attempt = { networkHash: hashOf(network), now, max, windowMs }
      const { isAdmitted, endsAt } = await countNetworkAttempt(database, attempt)
      if (isAdmitted) return { endsAt: timestampFromDate(endsAt) }
      const leftMs = endsAt.getTime() - now.getTime()
      const retryAfterSeconds = Math.max(1, Math.ceil(leftMs / 1000))
      throw refused(say('TOO_MANY_ATTEMPTS'), {
        status: 429,
        retryAfterSeconds,
      })
    },
    releaseAttempt: async ({ network, endsAt }) => {
      if (!endsAt) return {}
      const released = { networkHash: hashOf(network), endsAt: timestampDate(endsAt) }
      await releaseNetworkAttempt(database, released)
      return {}
    },
  }
}
