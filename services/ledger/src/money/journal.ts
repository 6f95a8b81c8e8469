import { z } from 'zod'
import { Money } from './money.ts'

/** The amounts that the journal records. `envelope` and `used` belong to an envelope. */
export const Pot = z.enum(['available', 'current', 'limit', 'envelope', 'used'])
export type Pot = z.infer<typeof Pot>

/**
 * Why an amount changed. A transaction deleted without adjusting has two rows: `deletion` returns
 * the deduction to the envelope, `kept` takes it again (docs/money.md#deletion-of-transactions).
 */
const Cause = z.enum([
  'opening',
  'transaction',
  'deletion',
  'kept',
  'transfer',
  'funding',
  'period-closed',
  'envelope-closed',
  'sync',
  'upload',
  'undo',
  'manual-edit',
])
export type Cause = z.infer<typeof Cause>

/**
 * The cause of a posting, and the ID of the object that the cause names
 * (docs/money.md#the-journal).
 */
export type Reason = { cause: Cause; causeId: string }

/**
 * One row of the append-only journal. `delta` is the change of the pot, `amount` the result; both
 * in minor units. (account, operation, bank account, envelope, pot, cause) is unique.
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
  /** The day of the transaction that moved a balance; null for all other causes. */
  date: z.date().nullable(),
  /** The user who sent the request, `user_system` for a job; null if it is not recorded. */
  createdBy: z.string().nullable(),
})
export type JournalEntry = z.infer<typeof JournalEntry>

/** An operation whose ID another service chose, with the encoded reply for repetitions. */
export const BookedOperation = z.object({
  accountId: z.string(),
  bankAccountId: z.string(),
  operationId: z.string(),
  reply: z.instanceof(Buffer),
  createdAt: z.date(),
})
export type BookedOperation = z.infer<typeof BookedOperation>
