import type { SumChange } from '../../api/history-queries.ts'
import { historyWords as words } from '../../words/history.ts'

/** An envelope by its ID. */
export interface Named {
  spendingId: string
  name: string
}

/**
 * Returns the name of the changed pot: that of an envelope, also of one that is deleted since.
 * `envelopes` are all that exist; undefined while they are not known.
 */
export function potName(
  {
    pot,
    spendingId,
    deletedSpendingName,
  }: Pick<SumChange, 'pot' | 'spendingId'> & {
    deletedSpendingName?: string
  },
  envelopes: readonly Named[] | undefined,
): string {
  const envelope = envelopes?.find((one) => one.spendingId === spendingId)
  if (envelope !== undefined) return envelope.name
  if (deletedSpendingName !== undefined) return words.deleted({ name: deletedSpendingName })
  const isDeleted = pot === 'envelope' && envelopes !== undefined
  return isDeleted ? words.deletedEnvelope : (words.pots[pot as keyof typeof words.pots] ?? pot)
}
