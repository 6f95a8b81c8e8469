import { keyOf } from '@coffer/kit/database/aggregate-key'
import type { Database } from '@coffer/kit/database/database'
import { type Change, emit } from '@coffer/kit/events/changes'
import { envelopeChanges } from '../money/money-events.service.ts'
import type { Envelope } from './envelope.ts'
import { type EnvelopeCursor, openEnvelopesAfter } from './restate.sql.ts'

const pageSize = 500

/**
 * Records the amounts of every open envelope as changes once more, with their versions as they
 * are: for readers whose changes are no longer kept (`coffer replay`).
 *
 * @returns how many
 */
export async function restateEnvelopes(database: Database): Promise<number> {
  let restated = 0
  let after: EnvelopeCursor = { accountId: '', bankAccountId: '', spendingId: '' }
  for (;;) {
    const page = await openEnvelopesAfter(database, after, pageSize)
    const last = page.at(-1)
    if (last === undefined) return restated
    await database.transaction((tx) => emit(tx, ...changesOfPage(page)))
    restated += page.length
    after = last
  }
}

function changesOfPage(page: readonly Envelope[]): Change[] {
  const byAccount = Map.groupBy(page, keyOf)
  return [...byAccount.values()].flatMap((envelopes) =>
    // Each envelope says its version.
    envelopes.slice(0, 1).flatMap((one) => envelopeChanges(one, envelopes)),
  )
}
