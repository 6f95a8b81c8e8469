import { say } from '@coffer/kit/reasons/reasons'
import { refused } from '@coffer/kit/rpc/errors'
import { z } from 'zod'
import { type BankAccount, requireManual } from '../../book/bank-account.ts'
import {
  endOperation,
  type Locked,
  postBalance,
  type Settlement,
  startOperation,
} from '../../money/operation.ts'
import { type Given, giveBack } from '../../money/spend.ts'
import type { Upload } from '../upload.ts'

/** Deltas of the balances by an undo, in minor units; `asOf` is the restored balances' instant. */
export const TakenBack = z.object({
  available: z.bigint(),
  current: z.bigint(),
  limit: z.bigint(),
  asOf: z.date().nullable(),
})
export type TakenBack = z.infer<typeof TakenBack>

/** Throws `refused` while the import runs (409), and if it failed and stored nothing (400). */
export function requireComplete({ status }: Upload): void {
  if (status === 'failed') throw refused(say('IMPORT_FAILED'))
  if (status !== 'complete') {
    throw refused(say('IMPORT_RUNS'), { status: 409 })
  }
}

/** Returns whether a request to undo this upload would be accepted. */
export function isUndoable(
  { status, undoneAt }: Pick<Upload, 'status' | 'undoneAt'>,
  { linkType, deletedAt }: BankAccount,
): boolean {
  return status === 'complete' && undoneAt === null && linkType === 'manual' && deletedAt === null
}

/**
 * Returns bank account, envelopes and entries after the undo of upload `causeId`
 * (docs/files.md#undoing). Throws `refused` if the bank account is archived or not manual.
 */
export function settleUndo(
  locked: Locked,
  undone: {
    causeId: string
    given: readonly Given[]
    balances: TakenBack
    /** Corrects the sign of the earlier statement that becomes valid again (`debtCorrection`). */
    restated: { delta: bigint; causeId: string }
  },
): Settlement {
  requireManual(locked.bankAccount)
  const { given, balances, restated } = undone
  const reason = { cause: 'undo', causeId: undone.causeId } as const
  const started = startOperation(locked)
  for (const { spendingId, given: paid, refunded } of given) {
    const payments = { spendingId, spendingAmount: paid, refundAmount: null, beside: refunded }
    const refunds = { spendingId, spendingAmount: 0n, refundAmount: refunded, beside: paid }
    giveBack(started, payments, reason)
    giveBack(started, refunds, reason)
  }
  for (const pot of ['available', 'current', 'limit'] as const) {
    if (balances[pot] !== 0n) postBalance(started, { pot, delta: balances[pot], ...reason })
  }
  if (restated.delta !== 0n) {
    postBalance(started, { pot: 'current', cause: 'restated', ...restated })
  }
  started.bankAccount.balancesAsOf = balances.asOf
  return endOperation(started)
}
