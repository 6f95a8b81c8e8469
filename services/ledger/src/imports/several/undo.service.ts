import type { Transaction as Tx } from '@coffer/kit/database/database'
import type { ServiceDeps } from '@coffer/kit/service/service'
import type { UploadKey } from '../../book/upload-key.ts'
import { emitTransactions } from '../../money/changed-rows.sql.ts'
import { endOperation, startOperation } from '../../money/operation.ts'
import { renderResult, stateAfter, withLater } from '../../money/settlements.ts'
import type { Given } from '../../money/spend.ts'
import { keepJoined, removeUploaded } from '../../money/uploaded-rows.sql.ts'
import type { MoneyWork, MoneyWriter } from '../../money/writer.service.ts'
import { findLastStatement } from '../debt-restatement.sql.ts'
import { debtCorrection } from '../debt-restatement.ts'
import { partRows } from '../joining/posting.sql.ts'
import { type PostedRow, postingIdOf, unpost } from '../joining/posting.ts'
import { findStatedSince, sumTakenBack } from '../settling/file-balances.sql.ts'
import { settleUndo } from '../settling/upload-undo.ts'
import { lockImports, markUndone, tellUpload } from '../upload.sql.ts'

type Result = ReturnType<typeof renderResult>

/**
 * Undoes imports into different bank accounts atomically; a repeated undo changes nothing. Returns
 * the results in the order of the bank accounts' IDs. Bank accounts are locked in this order, after
 * all transactions are removed, because removing 100,000 takes over a second. Waits for running
 * imports into the bank accounts, which may join rows, and blocks new imports.
 */
export function undoUploads(
  {
    clock,
    changeRows,
    writeIn,
  }: Pick<ServiceDeps, 'clock'> & Pick<MoneyWriter, 'changeRows' | 'writeIn'>,
  uploads: readonly UploadKey[],
  createdBy: string,
): Promise<Result[]> {
  const keys = uploads.toSorted((one, other) => (one.bankAccountId < other.bankAccountId ? -1 : 1))
  return changeRows(keys, async (tx) => {
    const removed: { key: UploadKey; isMarked: boolean; rows: RemovedRows }[] = []
    for (const key of keys) {
      const now = clock()
      await lockImports(tx, key)
      const isMarked = await markUndone(tx, key, now)
      const rows = isMarked ? await removeRows(tx, key, now) : { given: [], posted: [] }
      removed.push({ key, isMarked, rows })
    }
    const results: Result[] = []
    for (const { key, isMarked, rows } of removed) {
      const work = () => (isMarked ? undoWork(tx, key, { ...rows, createdBy }) : noWork(key))
      results.push(await writeIn(tx, key, work))
    }
    return results
  })
}

/** Amounts that envelopes gave to removed transactions; transactions that the upload posted. */
type RemovedRows = { given: readonly Given[]; posted: readonly PostedRow[] }

/** Removes joins and transactions of an upload, but keeps those that other imports joined. */
async function removeRows(tx: Tx, key: UploadKey, now: Date): Promise<RemovedRows> {
  const posted = await partRows(tx, key)
  const kept = await keepJoined(tx, key)
  for (const transactionUploadId of new Set(kept.map((one) => one.transactionUploadId))) {
    await tellUpload(tx, { ...key, transactionUploadId }, { type: 'upload.updated', now })
  }
  const keptIds = kept.map(({ transactionId }) => transactionId)
  await emitTransactions(tx, { ...key, now }, { type: 'transaction.updated', ids: keptIds })
  const { transactionIds, given } = await removeUploaded(tx, key)
  const deleted = { type: 'transaction.deleted', ids: transactionIds } as const
  await emitTransactions(tx, { ...key, now }, deleted)
  return { given, posted }
}

/** Returns the work for an upload that is undone already: reads the balances for the reply. */
async function noWork({ accountId, bankAccountId }: UploadKey): Promise<MoneyWork<Result>> {
  return {
    scope: { accountId, bankAccountId },
    decide: (current) => ({ reply: renderResult(endOperation(startOperation(current))) }),
  }
}

async function undoWork(
  tx: Tx,
  key: UploadKey,
  { given, posted, createdBy }: RemovedRows & { createdBy: string },
): Promise<MoneyWork<Result>> {
  const { accountId, bankAccountId, transactionUploadId: causeId } = key
  const balances = await sumTakenBack(tx, key)
  const last = await findLastStatement(tx, key)
  const restated = { delta: debtCorrection(last), causeId: last.causeId }
  const spendingIds = given.map(({ spendingId }) => spendingId)
  const transactionIds = posted.map(({ transactionId }) => transactionId)
  const isPosting = posted.length > 0
  const stated = isPosting ? await findStatedSince(tx, key, posted.map(postingIdOf)) : null
  return {
    scope: {
      accountId,
      bankAccountId,
      spendingIds,
      transactionIds,
      readsBookings: isPosting,
      readsRefundable: isPosting,
    },
    operationId: `undo/${causeId}`,
    createdBy,
    decide: (read) => {
      const { settlement: unposted, transactions, moved } = unpost(read, posted)
      const current = stateAfter(read, unposted)
      // A balance that was stated after a transaction was posted stays as stated, so the reversal
      // of the posting (`moved`) is taken out of the undo's deltas.
      const kept = {
        ...balances,
        available: balances.available - (stated?.available ? moved.available : 0n),
        current: balances.current - (stated?.current ? moved.current : 0n),
      }
      const settled = settleUndo(current, { causeId, given, balances: kept, restated })
      const settlement = withLater(unposted, settled)
      return { settlement, transactions, changesTexts: true, reply: renderResult(settlement) }
    },
  }
}
