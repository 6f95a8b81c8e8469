import { keyOf } from '@coffer/kit/database/aggregate-key'
import type { Database } from '@coffer/kit/database/database'
import { type Change, emit } from '@coffer/kit/events/changes'
import { envelopeChanges } from '../money/money-events.service.ts'
import type { Envelope } from './envelope.ts'
import { type EnvelopeCursor, openEnvelopesAfter } from './restate.sql.ts'

const pageSize = 500

/**
 * Emits the events of all open envelopes again with unchanged versions, for consumers of events
 * that the stream no longer keeps (`coffer replay`, docs/events.md#keeping-and-replay).
 *
 * @returns the number of envelopes
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
    // The first envelope gives the version of the event; each envelope in it has its own.
    envelopes.slice(0, 1).flatMap((one) => envelopeChanges(one, envelopes)),
  )
}
