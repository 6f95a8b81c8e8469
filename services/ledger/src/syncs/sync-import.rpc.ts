import type { Message } from '@bufbuild/protobuf'
import type { BankAccountKey } from '@coffer/kit/database/aggregate-key'
import { say } from '@coffer/kit/reasons/reasons'
import { invalid, unavailable } from '@coffer/kit/rpc/errors'
import { callerOf } from '@coffer/kit/rpc/rpc'
import type { ServiceDeps } from '@coffer/kit/service/service'
import { newId } from '@coffer/kit/values/id'
import type {
  ImportTransactionsRequest,
  RemoveTransactionsRequest,
  SyncImportService,
} from '@coffer/proto/ledger/v1/sync_import'
import type { HandlerContext, ServiceImpl } from '@connectrpc/connect'
import { findTimezone } from '../accounts/account-settings.sql.ts'
import type { SyncedScope } from '../money/money-state.ts'
import type { Current } from '../money/unit-of-work.ts'
import type { MoneyWriter } from '../money/writer.service.ts'
import { loadRules } from '../rules/rule.service.ts'
import { envelopesOf } from '../rules/rule-effects.ts'
import { requireSource, sourceOf } from './link-source.ts'
import { readListed, readRows, requireBatch, requireIds } from './provider-row.ts'
import type { SyncedTransaction } from './provider-transaction.ts'
import {
  countOutcomes,
  type Imported,
  importTransactions,
  type SyncDecision,
} from './sync-import.ts'
import { removeSynced } from './sync-removal.ts'
import { scopeOf } from './sync-scope.ts'

type Deps = Pick<ServiceDeps, 'database'> & Pick<MoneyWriter, 'write'>

/** Returns the RPC handlers that import and remove transactions (docs/syncs.md#import-calls). */
export function transactionSyncRoutes(
  deps: Deps,
): Pick<
  ServiceImpl<typeof SyncImportService>,
  'importTransactions' | 'countReplaced' | 'removeTransactions'
> {
  return {
    importTransactions: async (request, context) => {
      const { imported } = await importBatch(deps, request, context)
      return {
        transactions: [...imported].map(([providerTransactionId, one]) => {
          return { providerTransactionId, ...one }
        }),
        counts: countOutcomes(imported.values()),
      }
    },
    countReplaced: async ({ batch }, context) => {
      if (batch === undefined) throw invalid({ batch: say('REQUIRED') })
      const { replaced } = await importBatch(deps, batch, context, { isStored: false })
      return { replaced }
    },
    removeTransactions: (request, context) => removeBatch(deps, request, context),
  }
}

async function importBatch(
  deps: Deps,
  request: Omit<ImportTransactionsRequest, keyof Message>,
  context: HandlerContext,
  { isStored = true } = {},
): Promise<{ imported: Map<string, Imported>; replaced: number }> {
  const { accountId, issuer, userId: createdBy } = callerOf(context)
  const { bankAccountId, providerAccountId, transactions } = request
  const timezone = await findTimezone(deps.database, { accountId, bankAccountId })
  // Transient: identity's event with the timezone arrives later, and the sync repeats the call.
  if (!timezone) throw unavailable('the timezone of the account is not known yet')
  const { rows, unreadable } = readRows(transactions, { providerAccountId, timezone })
  const ids = {
    transactionIds: rows.map(() => newId('txn')),
    recordIds: rows.map(() => newId(issuer === 'feed-sync' ? 'ltxn' : 'ptxn')),
  }
  const key = { accountId, bankAccountId }
  const listed = readListed(request, { timezone, issuer })
  const source = sourceOf(issuer)
  const synced = scopeOf(rows, { source, listed })
  const rules = await loadRules(deps.database, accountId, timezone)
  const candidates = rows.map((row) => {
    return { ...row, bankAccountId, source, originalMerchantName: row.merchantName }
  })
  const by = { synced, createdBy, isStored, timezone, ...envelopesOf(rules, candidates) }
  const { imported, replaced } = await writeBatch(deps, key, by, (locked, known) => {
    requireSource(locked.bankAccount, issuer)
    return importTransactions(locked, { rows, known, ids, source, listed, rules })
  })
  const skipped = unreadable.map(({ providerTransactionId, reason }): [string, Imported] => {
    return [providerTransactionId, { transactionId: '', outcome: 'skipped', reason }]
  })
  const outcomes = new Map([...skipped, ...imported])
  const entries = transactions.flatMap((one) => entriesOf(outcomes, one.providerTransactionId))
  return { imported: new Map(entries), replaced }
}

async function removeBatch(
  deps: Deps,
  { bankAccountId, providerTransactionIds }: RemoveTransactionsRequest,
  context: HandlerContext,
) {
  const { accountId, issuer, userId: createdBy } = callerOf(context)
  requireBatch({ providerTransactionIds: providerTransactionIds.length })
  requireIds(Object.fromEntries(providerTransactionIds.map((id, index) => [index, id])), [
    'providerTransactionIds',
  ])
  const providerIds = providerTransactionIds
  const key = { accountId, bankAccountId }
  const undated = { timezone: undefined, isStored: true, spendingIds: [], refundIds: [] }
  const synced = { providerIds, alike: null, posted: null, tips: 'removed' as const }
  const by = { synced, createdBy, ...undated }
  const { removedCount, unknownCount } = await writeBatch(deps, key, by, (locked, known) => {
    requireSource(locked.bankAccount, issuer)
    return removeSynced(locked, { providerIds, known })
  })
  return { removedCount, unknownCount }
}

type Batch = {
  synced: SyncedScope
  createdBy: string
  isStored: boolean
  /** Envelopes to which rules may assign rows of the batch, and those that may get refunds. */
  spendingIds: string[]
  refundIds: string[]
  /** Timezone of the dates of the batch; undefined without dates. */
  timezone: string | undefined
}

/** Saves a batch without group commit: one read selects synced transactions of only one batch. */
function writeBatch<Outcome extends SyncDecision>(
  { write }: Deps,
  key: BankAccountKey,
  { synced, createdBy, isStored, timezone, spendingIds, refundIds }: Batch,
  decide: (current: Current, known: SyncedTransaction[]) => Outcome,
): Promise<Outcome> {
  return write({
    scope: { ...key, synced, readsRefundable: true, spendingIds, refundIds },
    createdBy,
    timezone,
    isAlone: true,
    decide: (current) => {
      const outcome = decide(current, joinRecords(current))
      const { settlement, records, transactions } = outcome
      if (!isStored || records.length === 0) return { reply: outcome }
      return { settlement, records, transactions, reply: outcome }
    },
  })
}

function joinRecords({ transactions, records }: Current): SyncedTransaction[] {
  const byTransaction = Map.groupBy(records, ({ transactionId }) => transactionId)
  return transactions.map((transaction) => {
    return { transaction, records: byTransaction.get(transaction.transactionId) ?? [] }
  })
}

function entriesOf(outcomes: Map<string, Imported>, id: string): [string, Imported][] {
  const outcome = outcomes.get(id)
  return outcome ? [[id, outcome]] : []
}
