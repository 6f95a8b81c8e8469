import { notFound } from '@coffer/kit/errors'
import { callerOf } from '@coffer/kit/rpc'
import type { ServiceDeps } from '@coffer/kit/service'
import type { UploadService } from '@coffer/proto/ledger/v1/upload'
import type { ServiceImpl } from '@connectrpc/connect'
import { openBook, type Settlement, settle } from './book.ts'
import { envelopeChanges, resultOf, transactionsChanged } from './money.rpc.ts'
import { lockMoney } from './money.sql.ts'
import { saveMoney } from './money-save.sql.ts'
import { addDecision, openTill, tillWrite } from './till.ts'
import { findUpload } from './upload.sql.ts'
import type { UploadKey } from './upload.ts'
import { markUndone, removeUploaded, takenBack } from './upload-undo.sql.ts'
import { requireComplete, settleUndo } from './upload-undo.ts'

type Deps = Pick<ServiceDeps, 'database' | 'clock'>

/** Takes an import back as a whole (services/ledger/README.md, Undo). */
export function undoRoutes(deps: Deps): Pick<ServiceImpl<typeof UploadService>, 'undoUpload'> {
  return {
    undoUpload: async (request, context) => {
      const { accountId, userId: createdBy } = callerOf(context)
      const key = { ...request, accountId }
      const upload = await findUpload(deps.database, key)
      if (!upload) throw notFound('transaction upload')
      requireComplete(upload)
      return resultOf(await undo(deps, key, createdBy))
    },
  }
}

/**
 * All of it in one transaction. The money lock comes before the rows, as in every write: whoever
 * changes one of these transactions holds it, so the other order could deadlock.
 */
function undo({ database, clock }: Deps, key: UploadKey, createdBy: string): Promise<Settlement> {
  const { accountId, bankAccountId, transactionUploadId } = key
  const now = clock()
  return database.transaction(async (tx) => {
    const isDone = !(await markUndone(tx, key, now))
    const scope = { accountId, bankAccountId, spendingIds: [], transactionIds: [] }
    const locked = await lockMoney(tx, scope)
    if (!locked) throw notFound('bank account')
    const operation = { operationId: `undo/${transactionUploadId}`, now, createdBy }
    if (isDone) return settle(openBook({ ...locked, operation }))
    const envelopes = await removeUploaded(tx, key)
    const balances = await takenBack(tx, key)
    const undone = { causeId: transactionUploadId, given: envelopes, balances }
    const settlement = settleUndo({ ...locked, envelopes, operation }, undone)
    const till = openTill<never, never>({ ...locked, envelopes })
    addDecision(till, { settlement })
    const write = tillWrite(till)
    const changes = [...envelopeChanges(settlement.envelopes), transactionsChanged(key)]
    if (write) await saveMoney(tx, { ...write, changes })
    return settlement
  })
}
