import { keyOf } from '@coffer/kit/database/aggregate-key'
import type { Transaction as Tx } from '@coffer/kit/database/database'
import { say } from '@coffer/kit/reasons/reasons'
import { unavailable } from '@coffer/kit/rpc/errors'
import type { UploadKey } from '../../book/upload-key.ts'
import { readMoney } from '../../money/money-state.sql.ts'
import type { MoneyScope } from '../../money/money-state.ts'
import type { Locked } from '../../money/operation.ts'
import { stateAfter, withLater } from '../../money/settlements.ts'
import type { MoneyWork } from '../../money/writer.service.ts'
import {
  addLater,
  type BalanceInstants,
  balancesToSet,
  settleFile,
  withEntries,
} from '../file-import.ts'
import type { ReceivedStatement } from '../formats/statement.ts'
import { areUnchanged, notePosting } from '../joining/posting.sql.ts'
import { postJoined } from '../joining/posting.ts'
import type { RowPosting } from '../joining/row-joins.ts'
import {
  assignRows,
  type FileRules,
  listDiffering,
  type OrderedRows,
  orderRows,
  reassignRows,
  scopeOfRows,
  type scopeOfRules,
} from '../rules/file-rules.ts'
import { sumLaterBookings } from './file-balances.sql.ts'

/**
 * Returns the change of money by a file: its balances, the envelopes that rules name, and the
 * pending transactions that joins post. Requires the lock of the bank account.
 */
export async function workOfFile(
  tx: Tx,
  key: UploadKey,
  of: {
    statement: ReceivedStatement
    instants: BalanceInstants | null
    timezone: string | undefined
    joins: readonly RowPosting[]
    importedCount: bigint
    createdBy: string | null
    fileRules: FileRules
    now: Date
  },
): Promise<MoneyWork<true>> {
  const { statement, instants, timezone, joins, importedCount, createdBy, fileRules, now } = of
  const { balances, currency } = statement
  const { transactionUploadId: causeId } = key
  const newCount = importedCount + BigInt(joins.length)
  // A transaction has changed since rows were joined to it. `unavailable` makes the workflow retry
  // the import, which then stores the row as a new transaction, or refuses the join.
  if (!(await areUnchanged(tx, key, joins))) throw unavailable(say('IMPORT_LATER'))
  const later = instants && (await sumLaterBookings(tx, key, instants))
  const posting = await notePosting(tx, key, joins)
  const ruled = orderRows(fileRules)
  const scope = await scopeOfFile(tx, key, { fileRules, ruled, now })
  const postedIds = posting.map(({ transaction }) => transaction.transactionId)
  const isPosting = posting.length > 0
  const transactionIds = [...(scope.transactionIds ?? []), ...postedIds]
  return {
    scope: { ...scope, transactionIds, readsBookings: isPosting, readsRefundable: isPosting },
    operationId: causeId,
    createdBy,
    timezone,
    decide: (read) => {
      const posted = postJoined(read, posting)
      const current = stateAfter(read, posted.settlement)
      const own = balancesToSet(current, { balances, newCount })
      const all = later && instants && withEntries(later, instants, posted.settlement.entries)
      const stated = own && all && addLater(own, all)
      const settled = settleFile(current, { currency, stated, causeId })
      const { settlement, differing } = assignRows(current, settled, ruled)
      const rows = reassignRows(current.transactions, differing)
      return {
        settlement: withLater(posted.settlement, settlement),
        transactions: rows.concat(posted.transactions),
        changesTexts: importedCount > 0n,
        reply: true,
      }
    },
  }
}

/**
 * Returns what the save must lock: the envelopes that rules assign to, and the inserted
 * transactions whose assigned amounts the rules now set otherwise.
 */
async function scopeOfFile(
  tx: Tx,
  key: UploadKey,
  { fileRules, ruled, now }: { fileRules: FileRules; ruled: OrderedRows; now: Date },
): Promise<MoneyScope> {
  const { accountId, bankAccountId } = key
  const envelopes = scopeOfRows(fileRules)
  const current = await readForRules(tx, key, { envelopes, now })
  const transactionIds = current ? listDiffering(current, ruled) : []
  return { accountId, bankAccountId, ...envelopes, transactionIds }
}

/** Reads envelopes for rules; null if there are none, or the bank account does not exist. */
export async function readForRules(
  tx: Tx,
  { accountId, bankAccountId, transactionUploadId: operationId }: UploadKey,
  { envelopes, now }: { envelopes: ReturnType<typeof scopeOfRules>; now: Date },
): Promise<Locked | null> {
  if (envelopes.spendingIds.length === 0) return null
  const scope = { accountId, bankAccountId, ...envelopes }
  const state = (await readMoney(tx, [scope])).get(keyOf(scope))
  if (!state) return null
  return { ...state, operation: { operationId, now, createdBy: null, version: 0n } }
}
