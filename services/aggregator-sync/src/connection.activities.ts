import type { ServiceDeps } from '@coffer/kit/service/service'
import { markReleased } from './connection.sql.ts'

/** Returns the idempotent activities that run after a link is deleted (docs/links.md#clean-up). */
export function connectionActivities({ database, clock }: Pick<ServiceDeps, 'database' | 'clock'>) {
  return {
    releaseAggregatorConnection: (accountId: string, linkId: string): Promise<void> =>
      markReleased(database, { accountId, linkId, now: clock() }),
  }
}
