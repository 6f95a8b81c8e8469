import { say } from '@coffer/kit/reasons/reasons'
import { refused } from '@coffer/kit/rpc/errors'
import { z } from 'zod'
import { type BankAccount, requireManual } from '../../book/bank-account.ts'
import { isBeforePeriod } from '../../book/envelope.ts'
import {
  endOperation,
  findEnvelope,
  type Locked,
  postBalance,
  type Settlement,
  type StartedOperation,
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
  for (const { spendingId, date, given: paid, refunded } of sumByPeriod(started, given)) {
    const payments = { spendingAmount: paid, refundAmount: null, beside: refunded }
    const refunds = { spendingAmount: 0n, refundAmount: refunded, beside: paid }
    giveBack(started, { spendingId, date, ...payments }, reason)
    giveBack(started, { spendingId, date, ...refunds }, reason)
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

/** Sums the amounts of each envelope: those of days before its running period, and the others. */
function sumByPeriod(started: StartedOperation, given: readonly Given[]): Given[] {
  const sums = new Map<string, Given>()
  for (const one of given) {
    const envelope = findEnvelope(started, one.spendingId)
    const isEarlier = envelope !== null && isBeforePeriod(envelope, one.date)
    const key = `${one.spendingId} ${isEarlier}`
    const sum = sums.get(key)
    if (sum === undefined) sums.set(key, { ...one })
    else {
      sum.given += one.given
      sum.refunded += one.refunded
    }
  }
  return [...sums.values()]
}
