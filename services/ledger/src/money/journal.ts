import { z } from 'zod'
import { Money } from './money.ts'

/** The amounts whose every change is a journal row; the last two belong to an envelope. */
export const Pot = z.enum(['available', 'current', 'limit', 'envelope', 'used'])
export type Pot = z.infer<typeof Pot>

/**
 * Why an amount changed. `kept` is the part of a deleted transaction that its envelope does not
 * get back: `deletion` returns it and `kept` takes it again, so that what left an envelope for
 * `transaction` and `deletion` always equals the `spendingAmount`s of the live transactions.
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

/** Why a posting is made: the kind of event, and the ID of the object that it is about. */
export type Reason = { cause: Cause; causeId: string }

/**
 * One row of the journal. `delta` is what the pot changed by, `amount` what it then held; both in
 * minor units. (account, operation, bank account, envelope, pot, cause) is unique.
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
  /** The user whose request it was, `user_system` for a job; null where nobody noted it. */
  createdBy: z.string().nullable(),
})
export type JournalEntry = z.infer<typeof JournalEntry>
