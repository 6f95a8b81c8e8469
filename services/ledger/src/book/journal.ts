import { values } from '@coffer/proto/values'
import { z } from 'zod'
import { Money } from './money.ts'

/** Amounts that a journal row changes: balances, and the money an envelope holds or a goal used. */
export const Pot = z.enum(values['HistoryEntry.pot'])
export type Pot = z.infer<typeof Pot>

/**
 * Why an amount changed. If the envelope does not get a deleted transaction's money back, a row
 * `kept` cancels the row `deletion` (docs/money.md#deletion-of-transactions).
 */
const Cause = z.enum(values['HistoryEntry.cause'])
export type Cause = z.infer<typeof Cause>

/** Why an amount changes; `causeId` is the ID of the transaction, upload, transfer etc. */
export type Reason = { cause: Cause; causeId: string }

/**
 * A row of the append-only journal. `delta` is the change of the amount that `pot` names, `amount`
 * is that amount after the change; both in minor units.
 */
export const JournalEntry = z.object({
  accountId: z.string(),
  operationId: z.string(),
  bankAccountId: z.string(),
  spendingId: z.string().nullable(),
  pot: Pot,
  delta: Money,
  amount: Money,
  cause: Cause,
  causeId: z.string(),
  createdAt: z.date(),
  /**
   * For a change of a balance by a transaction, the transaction's date; for a funding, its instant;
   * for the end of a period, the due date; for opening balances, the instant for which they are
   * stated. Null in all other rows.
   */
  date: z.date().nullable(),
  /** ID of the user who sent the request, `user_system` for a job; null if unknown. */
  createdBy: z.string().nullable(),
})
export type JournalEntry = z.infer<typeof JournalEntry>

/** A saved operation with its encoded reply, which is returned if budgeting repeats the request. */
export const BookedOperation = z.object({
  accountId: z.string(),
  bankAccountId: z.string(),
  operationId: z.string(),
  reply: z.instanceof(Buffer),
  createdAt: z.date(),
})
export type BookedOperation = z.infer<typeof BookedOperation>
