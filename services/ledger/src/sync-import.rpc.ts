import { notFound, unavailable } from '@coffer/kit/errors'
import { newId } from '@coffer/kit/id'
import { callerOf } from '@coffer/kit/rpc'
import type { ServiceDeps } from '@coffer/kit/service'
import { dayMs } from '@coffer/kit/time'
import type {
  ImportTransactionsRequest,
  RemoveTransactionsRequest,
  SyncImportService,
} from '@coffer/proto/ledger/v1/sync_import'
import type { HandlerContext, ServiceImpl } from '@connectrpc/connect'
import { findTimezone } from './account-settings.sql.ts'
import { envelopeChanges, transactionsChanged } from './money.rpc.ts'
import { lockMoney } from './money.sql.ts'
import { readItems, requireBatch, requireIds } from './provider-item.ts'
import type { ProviderItem } from './provider-transaction.ts'
import { type KnownScope, readKnown, saveSync } from './sync-import.sql.ts'
import { type Imported, importTransactions, type SyncDecision } from './sync-import.ts'
import { sourceOf } from './sync-kind.ts'
import { postingDaysMax, postingDaysMin } from './sync-match.ts'
import { removeSynced } from './sync-removal.ts'

type Deps = Pick<ServiceDeps, 'database' | 'clock'>

/** What the syncs bring in of transactions (spec/syncs.md 3; design 4). */
export function transactionSyncRoutes(
  deps: Deps,
): Pick<ServiceImpl<typeof SyncImportService>, 'importTransactions' | 'removeTransactions'> {
  return {
    importTransactions: async (request, context) => {
      const imported = await importBatch(deps, request, context)
      return {
        transactions: [...imported].map(([providerTransactionId, one]) => {
          return { providerTransactionId, ...one }
        }),
      }
    },
    removeTransactions: (request, context) => removeBatch(deps, request, context),
  }
}

async function importBatch(
  deps: Deps,
  request: ImportTransactionsRequest,
  context: HandlerContext,
): Promise<Map<string, Imported>> {
  const { accountId, issuer, userId: createdBy } = callerOf(context)
  const { bankAccountId, providerAccountId, transactions } = request
  const timezone = await findTimezone(deps.database, accountId)
  // Identity's event is on its way: days stored by another clock could never be mended.
  if (timezone === null) throw unavailable('the timezone of the account is not known yet')
  const { items, unreadable } = readItems(transactions, { providerAccountId, timezone })
  const ids = {
    transactionIds: items.map(() => newId('txn')),
    recordIds: items.map(() => newId(issuer === 'feed-sync' ? 'ltxn' : 'ptxn')),
  }
  const scope = { accountId, bankAccountId, ...scopeOf(items), createdBy }
  const { imported } = await sync(deps, scope, (locked, known) => {
    const source = sourceOf(locked.bankAccount, issuer)
    return importTransactions(locked, { items, known, ids, source })
  })
  const skipped = unreadable.map(({ providerTransactionId, reason }): [string, Imported] => {
    return [providerTransactionId, { transactionId: '', outcome: 'skipped', reason }]
  })
  const outcomes = new Map([...skipped, ...imported])
  return new Map(transactions.flatMap((one) => entryOf(outcomes, one.providerTransactionId)))
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
  const scope = { accountId, bankAccountId, providerIds, alike: null, createdBy }
  const { removedCount, unknownCount } = await sync(deps, scope, (locked, known) => {
    sourceOf(locked.bankAccount, issuer)
    return removeSynced(locked, { providerIds, known })
  })
  return { removedCount, unknownCount }
}

type Decide<Decision> = (
  locked: Parameters<typeof importTransactions>[0],
  known: Parameters<typeof importTransactions>[1]['known'],
) => Decision

/**
 * Locks the bank account, reads what the batch may be about, decides and saves: two statements
 * under the lock, however many rows. The lock also settles whether the link is there: deleting it
 * takes the same lock to put its bank accounts out of sight.
 */
function sync<Decision extends SyncDecision>(
  { database, clock }: Deps,
  { createdBy, ...scope }: KnownScope & { createdBy: string },
  decide: Decide<Decision>,
): Promise<Decision> {
  return database.transaction(async (tx) => {
    const rows = { ...scope, spendingIds: [], transactionIds: [] }
    const locked = await lockMoney(tx, rows)
    if (!locked) throw notFound('bank account')
    const { known, envelopes } = await readKnown(tx, scope)
    const operation = { operationId: newId('op'), now: clock(), createdBy }
    const decision = decide({ bankAccount: locked.bankAccount, envelopes, operation }, known)
    const { till, records, inserted, updated } = decision
    if (records.length === 0) return decision
    const changed = [...till.changedEnvelopes].flatMap((id) => till.envelopes.get(id) ?? [])
    const isOther = inserted.length + updated.length > 0
    await saveSync(tx, {
      ...{ bankAccount: till.bankAccount, envelopes: changed, entries: till.entries },
      ...{ inserted, updated, records, deleted: [], closed: [], replies: [], operations: [] },
      changes: [...envelopeChanges(changed), ...(isOther ? [transactionsChanged(scope)] : [])],
    })
    return decision
  })
}

/** Where to look for what the items may be. */
function scopeOf(items: readonly ProviderItem[]): Pick<KnownScope, 'providerIds' | 'alike'> {
  const [first] = items
  if (first === undefined) return { providerIds: [], alike: null }
  const days = items.map(({ date }) => date.getTime())
  const named = items.flatMap((item) => item.pendingProviderTransactionId ?? [])
  return {
    providerIds: [...items.map((item) => item.providerTransactionId), ...named],
    alike: {
      amounts: [...new Set(items.map(({ amount }) => amount))],
      from: new Date(Math.min(...days) - (postingDaysMax + 1) * dayMs),
      to: new Date(Math.max(...days) - (postingDaysMin - 1) * dayMs),
      providerAccountId: first.providerAccountId,
    },
  }
}

function entryOf(outcomes: Map<string, Imported>, id: string): [string, Imported][] {
  const outcome = outcomes.get(id)
  return outcome ? [[id, outcome]] : []
}
