import { type Handler, on } from '@coffer/kit/consumer'
import type { Workflows } from '@coffer/kit/temporal'
import { TransactionsChangedSchema } from '@coffer/proto/ledger/v1/events'
import { createRecent } from './recent.ts'

/**
 * Has similar transactions looked for `quietMs` after transactions were added or deleted. A search
 * begins at least that long after its trigger, so a change that comes sooner than half of it needs
 * no trigger of its own: many writes in a row cost the workflow a few signals, not one each. What
 * the hourly job adds is searched by `findWaitingSimilar`.
 */
export function similarHandler(options: { workflows: Workflows; quietMs: number }): Handler {
  const { workflows, quietMs } = options
  const triggers = createRecent<Promise<void>>(quietMs / 2)
  return on(TransactionsChangedSchema, async ({ accountId, bankAccountId, isAutomatic }) => {
    // They wait in a table, for a search of all of them.
    if (isAutomatic) return
    const before = triggers.get(bankAccountId, performance.now())
    if (before !== undefined) return before
    const sent = workflows.start({
      type: 'findSimilar',
      id: `similar/${bankAccountId}`,
      taskQueue: 'ledger',
      args: [{ accountId, bankAccountId, quietMs }],
    })
    triggers.set(bankAccountId, sent, performance.now())
    sent.catch(() => triggers.delete(bankAccountId))
    return sent
  })
}
