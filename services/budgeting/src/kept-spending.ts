import type { Spending as SpendingMessage } from '@coffer/proto/budgeting/v1/spending'
import type { Spending } from './spending.ts'

/** What tells whether a plan has changed: its row does not without its revision. */
export type PlanHead = Pick<Spending, 'spendingId' | 'amountsVersion' | 'revision'>

/** Messages of plans from one list to the next. */
export interface KeptSpending {
  /** The message of the plan as its row is; undefined where it has to be read. */
  find: (head: PlanHead) => SpendingMessage | undefined
  keep: (plan: PlanHead, message: SpendingMessage) => void
}

// A message is about a kilobyte.
const messagesMax = 10_000

/**
 * Keeps the messages of plans by revision, so that a list reads and renders only what is new. What
 * is found is as fresh as the head it is asked for with; messages must not be changed.
 */
export function createKeptSpending(): KeptSpending {
  const kept = new Map<string, { revision: bigint; message: SpendingMessage }>()
  return {
    find: ({ spendingId, revision }) => {
      const found = kept.get(spendingId)
      return found?.revision === revision ? found.message : undefined
    },
    keep: ({ spendingId, revision }, message) => {
      if (kept.size >= messagesMax) kept.clear()
      kept.set(spendingId, { revision, message })
    },
  }
}
