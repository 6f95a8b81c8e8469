import type { ServiceDeps } from '@coffer/kit/service/service'
import { markReleased } from './connection.sql.ts'

/** This service's part in the clean-up of a deleted link; it may run again to no effect. */
export function connectionActivities({ database, clock }: Pick<ServiceDeps, 'database' | 'clock'>) {
  return {
    releaseAggregatorConnection: (accountId: string, linkId: string): Promise<void> =>
      markReleased(database, { accountId, linkId, now: clock() }),
  }
}
