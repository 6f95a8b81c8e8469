import type { ServiceDeps } from '@coffer/kit/service/service'
import { endBankAccount } from './ended-bank-account.sql.ts'
import { removeRows } from './removal.sql.ts'

const batchSize = 1000

/** Budgeting's part of the clean-up after a link is deleted (docs/links.md#clean-up). */
export function removalActivities({ database, clock }: Pick<ServiceDeps, 'database' | 'clock'>) {
  return {
    /**
     * Deletes all plans, runs and schedules of these bank accounts, in batches. A tombstone for
     * each refuses later ones. Idempotent.
     */
    removePlans: async (accountId: string, bankAccountIds: string[]): Promise<void> => {
      for (const bankAccountId of bankAccountIds) {
        const scope = { accountId, bankAccountId }
        await endBankAccount(database, scope, { reason: 'removed', now: clock() })
        let removed = await removeRows(database, scope, batchSize)
        while (removed > 0) {
          removed = await removeRows(database, scope, batchSize)
        }
      }
    },
  }
}
