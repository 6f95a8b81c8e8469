import type { BankAccountKey } from '@coffer/kit/database/aggregate-key'
import { refused } from '@coffer/kit/rpc/errors'
import type { ServiceDeps } from '@coffer/kit/service/service'
import { ScheduledService } from '@coffer/proto/ledger/v1/scheduled'
import { asJob } from '../ledger/ledger.client.ts'
import { endBankAccount } from './ended-bank-account.sql.ts'
import { removeRows } from './removal.sql.ts'

type Deps = Pick<ServiceDeps, 'database' | 'mesh' | 'signer' | 'clock'>

const batchSize = 1000

/** Returns budgeting's activity of the clean-up after a deleted link (docs/links.md#clean-up). */
export function removalActivities(deps: Deps) {
  const { mesh } = deps
  return {
    /**
     * Stores tombstones, then deletes the bank accounts' plans, runs and schedules. Idempotent.
     * Throws refused if the ledger has one of the bank accounts: its link was not deleted.
     */
    removePlans: async (accountId: string, bankAccountIds: string[]): Promise<void> => {
      const keys = bankAccountIds.map((bankAccountId) => ({ accountId, bankAccountId }))
      const ledger = mesh.client('ledger', ScheduledService)
      const { bankAccounts: kept } = await ledger.lookUp({ bankAccounts: keys }, asJob(deps))
      if (kept.length > 0) throw refused('The link of the bank accounts was not deleted')
      for (const scope of keys) await removePlansOf(deps, scope)
    },
  }
}

/** Stores a tombstone of a bank account, then deletes its plans, runs and schedules. Idempotent. */
export async function removePlansOf(
  { database, clock }: Pick<Deps, 'database' | 'clock'>,
  scope: BankAccountKey,
): Promise<void> {
  await endBankAccount(database, scope, { reason: 'removed', now: clock() })
  let removed = await removeRows(database, scope, batchSize)
  while (removed > 0) {
    removed = await removeRows(database, scope, batchSize)
  }
}
