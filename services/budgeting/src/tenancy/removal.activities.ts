import type { ServiceDeps } from '@coffer/kit/service/service'
import { endBankAccount } from './ended-bank-account.sql.ts'
import { removeRows } from './removal.sql.ts'

const batchSize = 1000

/** Returns budgeting's activity of the clean-up after a deleted link (docs/links.md#clean-up). */
export function removalActivities({ database, clock }: Pick<ServiceDeps, 'database' | 'clock'>) {
  return {
    /** Stores tombstones, then deletes the bank accounts' plans, runs and schedules. Idempotent. */
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
