import type { Transaction as Tx } from '@coffer/kit/database/database'
import type { ServiceDeps } from '@coffer/kit/service/service'
import type { UploadKey } from '../../book/upload-key.ts'
import { emitTransactions } from '../../money/changed-rows.sql.ts'
import { endOperation, startOperation } from '../../money/operation.ts'
import { renderResult } from '../../money/settlements.ts'
import type { Given } from '../../money/spend.ts'
import { removeUploaded } from '../../money/uploaded-rows.sql.ts'
import type { MoneyWork, MoneyWriter } from '../../money/writer.service.ts'
import { findLastStatement } from '../debt-restatement.sql.ts'
import { debtCorrection } from '../debt-restatement.ts'
import { sumTakenBack } from '../file-balances.sql.ts'
import { markUndone } from '../upload.sql.ts'
import { settleUndo } from '../upload-undo.ts'

type Result = ReturnType<typeof renderResult>

/**
 * Undoes imports into different bank accounts in one database transaction, so all or none; a second
 * undo changes nothing. Returns the results in the order of the IDs of the bank accounts. They are
 * locked in this order, after all transactions are removed: removing 100,000 takes over a second.
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
    const removed: { key: UploadKey; isMarked: boolean; given: readonly Given[] }[] = []
    for (const key of keys) {
      const now = clock()
      const isMarked = await markUndone(tx, key, now)
      removed.push({ key, isMarked, given: isMarked ? await removeRows(tx, key, now) : [] })
    }
    const results: Result[] = []
    for (const { key, isMarked, given } of removed) {
      const work = () => (isMarked ? undoWork(tx, key, { given, createdBy }) : noWork(key))
      results.push(await writeIn(tx, key, work))
    }
    return results
  })
}

/** Removes the transactions of an upload, and tells that; returns what envelopes gave to them. */
async function removeRows(tx: Tx, key: UploadKey, now: Date): Promise<readonly Given[]> {
  const { transactionIds, given } = await removeUploaded(tx, key)
  const deleted = { type: 'transaction.deleted', ids: transactionIds } as const
  await emitTransactions(tx, { ...key, now }, deleted)
  return given
}

/** Returns the change of an upload that is undone already: it only reads. */
async function noWork({ accountId, bankAccountId }: UploadKey): Promise<MoneyWork<Result>> {
  return {
    scope: { accountId, bankAccountId },
    decide: (current) => ({ reply: renderResult(endOperation(startOperation(current))) }),
  }
}

async function undoWork(
  tx: Tx,
  key: UploadKey,
  { given, createdBy }: { given: readonly Given[]; createdBy: string },
): Promise<MoneyWork<Result>> {
  const { accountId, bankAccountId, transactionUploadId: causeId } = key
  const balances = await sumTakenBack(tx, key)
  const last = await findLastStatement(tx, key)
  const restated = { delta: debtCorrection(last), causeId: last.causeId }
  const spendingIds = given.map(({ spendingId }) => spendingId)
  return {
    scope: { accountId, bankAccountId, spendingIds },
    operationId: `undo/${causeId}`,
    createdBy,
    decide: (current) => {
      const settlement = settleUndo(current, { causeId, given, balances, restated })
      return { settlement, changesTexts: true, reply: renderResult(settlement) }
    },
  }
}
