import type { ServiceDeps } from '@coffer/kit/service/service'
import { markReleased } from './connection.sql.ts'

/**
 * Returns the activities of the clean-up after a deleted link (docs/links.md#clean-up).
 * Idempotent.
 */
export function connectionActivities({ database, clock }: Pick<ServiceDeps, 'database' | 'clock'>) {
  return {
    releaseAggregatorConnection: (accountId: string, linkId: string): Promise<void> =>
      markReleased(database, { accountId, linkId, now: clock() }),
  }
}
