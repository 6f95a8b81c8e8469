import { z } from 'zod'
import {
  endOperation,
  type Locked,
  postBalance,
  type Settlement,
  startOperation,
} from '../money/operation.ts'

/**
 * The last valid statement of a bank account's current balance: from its creation, a manual edit,
 * the aggregator or a file. Amounts are minor units.
 */
export const LastStatement = z.object({
  cause: z.enum(['opening', 'sync', 'manual-edit', 'upload']),
  causeId: z.string(),
  /** The stored balance. It includes `later`, the sum of bookings after the statement's instant. */
  amount: z.bigint(),
  later: z.bigint(),
  /** The balance today, and the sum of the corrections since the statement. */
  current: z.bigint(),
  restated: z.bigint(),
  /** until 0.5: whether a former version imported the statement, from an OFX file. */
  isFormerFile: z.boolean(),
  /** Whether the file states a limit: only statements of cards do. */
  hasLimit: z.boolean(),
  isCredit: z.boolean(),
  /** The aggregator's balance of a credit or loan account: debts are positive there. */
  said: z.bigint().nullable(),
})
export type LastStatement = z.infer<typeof LastStatement>

/**
 * until 0.5: returns the delta in minor units that makes a debt negative in the current balance
 * (docs/money.md#cards-and-loans); 0 once it is corrected. Former versions stored debts as positive
 * for OFX statements of cards, and for credit and loan accounts of the aggregator.
 */
export function debtCorrection(last: LastStatement): bigint {
  const wanted = last.cause === 'upload' ? ofFile(last) : ofProvider(last)
  return wanted - last.restated
}

function ofFile({ isFormerFile, hasLimit, isCredit, amount, later }: LastStatement): bigint {
  const stated = amount - later
  const isCard = hasLimit || (isCredit && stated > 0n)
  return isFormerFile && isCard ? -2n * stated : 0n
}

/**
 * Returns the sum of corrections that a statement of the aggregator requires. Compares today's
 * balance, too, because a sync that states the stored balance writes no journal row.
 */
function ofProvider({ cause, said, amount, current, restated }: LastStatement): bigint {
  if (said === null || cause === 'manual-edit' || amount === -said) return 0n
  if (amount === said || current - restated === said) return -2n * said
  return restated
}

/** Returns the rows to save for a correction of the current balance by `delta` minor units. */
export function settleRestated(
  locked: Locked,
  { delta, causeId }: { delta: bigint; causeId: string },
): Settlement {
  const started = startOperation(locked)
  postBalance(started, { pot: 'current', delta, cause: 'restated', causeId })
  return endOperation(started)
}
