import { refused } from '@coffer/kit/rpc/errors'
import { z } from 'zod'
import { requireManual, requireWritable } from '../accounts/bank-account.ts'
import { openBook, postBalance, type Settlement, settle } from '../money/book.ts'
import { giveBack } from '../money/spend.ts'
import type { Locked } from '../transactions/transaction.ts'
import type { Upload } from './upload.ts'

/** What an envelope gave to transactions that go, in minor units. */
export const Given = z.object({ spendingId: z.string(), given: z.bigint() })
export type Given = z.infer<typeof Given>

/** What balances change by, in minor units, and the instant that they hold for then. */
export const TakenBack = z.object({
  available: z.bigint(),
  current: z.bigint(),
  limit: z.bigint(),
  asOf: z.date().nullable(),
})
export type TakenBack = z.infer<typeof TakenBack>

/** Refuses to undo an import that is running (409) or that has failed (400: it stored nothing). */
export function requireComplete({ status }: Upload): void {
  if (status === 'failed') {
    throw refused('The import failed, so there is nothing to undo')
  }
  if (status !== 'complete') {
    throw refused('The import is still running: undo it when it has ended', { status: 409 })
  }
}

/**
 * What undoing an import does to its bank account: envelopes get back what they gave to its
 * transactions, and the balances that it set are taken back. `causeId` is the upload.
 */
export function settleUndo(
  locked: Locked,
  undone: { causeId: string; given: readonly Given[]; balances: TakenBack },
): Settlement {
  requireWritable(locked.bankAccount)
  requireManual(locked.bankAccount)
  const { given, balances } = undone
  const reason = { cause: 'undo', causeId: undone.causeId } as const
  const book = openBook(locked)
  for (const { spendingId, given: spendingAmount } of given) {
    giveBack(book, { spendingId, spendingAmount }, reason)
  }
  for (const pot of ['available', 'current', 'limit'] as const) {
    if (balances[pot] !== 0n) postBalance(book, { pot, delta: balances[pot], ...reason })
  }
  book.bankAccount.balancesAsOf = balances.asOf
  return settle(book)
}
