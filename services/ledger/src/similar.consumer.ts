import { type Handler, on } from '@coffer/kit/consumer'
import type { Workflows } from '@coffer/kit/temporal'
import { TransactionsChangedSchema } from '@coffer/proto/ledger/v1/events'
import type { BankAccountKey } from './cluster.sql.ts'
import { createRecent } from './recent.ts'
import type { NumberedChange } from './similar-search.sql.ts'

interface Options {
  workflows: Workflows
  quietMs: number
  /** Whether a search has begun since the change was committed. */
  isSearched: (change: NumberedChange) => Promise<boolean>
}

/**
 * Has similar transactions looked for `quietMs` after transactions were added or deleted. A search
 * begins at least that long after its trigger, so a change that comes sooner than half of it needs
 * no trigger of its own: many writes in a row cost the workflow a few signals, not one each. What
 * the hourly job adds is searched by `findWaitingSimilar`. A change that a search has seen, which a
 * replay brings again, costs one look.
 */
export function similarHandler({ workflows, quietMs, isSearched }: Options): Handler {
  const triggers = createRecent<Promise<void>>(quietMs / 2)
  const recent = (bankAccountId: string) => triggers.get(bankAccountId, performance.now())
  const trigger = (key: BankAccountKey): Promise<void> => {
    const sent = startSearch(workflows, key, quietMs)
    triggers.set(key.bankAccountId, sent, performance.now())
    sent.catch(() => triggers.delete(key.bankAccountId))
    return sent
  }
  return on(TransactionsChangedSchema, async (changed, { sequence }) => {
    const { accountId, bankAccountId, isAutomatic } = changed
    // They wait in a table, for a search of all of them.
    if (isAutomatic) return
    const key = { accountId, bankAccountId }
    const before = recent(bankAccountId)
    if (before !== undefined) return before
    if (await isSearched({ ...key, sequence })) return
    return recent(bankAccountId) ?? trigger(key)
  })
}

function startSearch(workflows: Workflows, key: BankAccountKey, quietMs: number): Promise<void> {
  return workflows.start({
    type: 'findSimilar',
    id: `similar/${key.bankAccountId}`,
    taskQueue: 'ledger',
    args: [{ ...key, quietMs }],
  })
}
