import { notFound } from '@coffer/kit/rpc/errors'
import { callerOf } from '@coffer/kit/rpc/rpc'
import type { ServiceDeps } from '@coffer/kit/service/service'
import type { UploadService } from '@coffer/proto/ledger/v1/upload'
import type { ServiceImpl } from '@connectrpc/connect'
import { endOperation, type Settlement, startOperation } from '../money/operation.ts'
import { renderResult } from '../money/settlements.ts'
import { removeUploaded } from '../money/uploaded-rows.sql.ts'
import type { MoneyWriter } from '../money/writer.service.ts'
import { sumTakenBack } from './file-balances.sql.ts'
import { findUpload, markUndone } from './upload.sql.ts'
import type { UploadKey } from './upload.ts'
import { requireComplete, settleUndo } from './upload-undo.ts'

type Deps = Pick<ServiceDeps, 'database' | 'clock'> & Pick<MoneyWriter, 'writeIn'>

/** Returns the RPC handler that undoes an import as a whole (docs/files.md#undoing). */
export function undoRoutes(deps: Deps): Pick<ServiceImpl<typeof UploadService>, 'undoUpload'> {
  return {
    undoUpload: async (request, context) => {
      const { accountId, userId: createdBy } = callerOf(context)
      const key = { ...request, accountId }
      const upload = await findUpload(deps.database, key)
      if (!upload) throw notFound('transaction upload')
      requireComplete(upload)
      return renderResult(await undo(deps, key, createdBy))
    },
  }
}

/**
 * One transaction for rows, envelopes and balances. Idempotent: a second undo changes nothing. The
 * rows are removed before the row lock, because 100,000 of them take more than a second. A change
 * of one of these rows at the same time is a deadlock: Postgres rolls one of both back, and slonik
 * repeats it.
 */
function undo(
  { database, clock, writeIn }: Deps,
  key: UploadKey,
  createdBy: string,
): Promise<Settlement> {
  const { accountId, bankAccountId, transactionUploadId: causeId } = key
  const scope = { accountId, bankAccountId }
  return database.transaction(async (tx) => {
    const isMarked = await markUndone(tx, key, clock())
    const given = isMarked ? await removeUploaded(tx, key) : []
    return writeIn(tx, key, async () => {
      if (!isMarked)
        return { scope, decide: (current) => ({ reply: endOperation(startOperation(current)) }) }
      const balances = await sumTakenBack(tx, key)
      return {
        scope: { ...scope, spendingIds: given.map(({ spendingId }) => spendingId) },
        operationId: `undo/${causeId}`,
        createdBy,
        decide: (current) => {
          const settlement = settleUndo(current, { causeId, given, balances })
          return { settlement, changesTexts: true, reply: settlement }
        },
      }
    })
  })
}
