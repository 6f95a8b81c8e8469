import { keyOf } from '@coffer/kit/database/aggregate-key'
import type { Database } from '@coffer/kit/database/database'
import { columnsOf } from '@coffer/kit/database/rows'
import { type Change, emit } from '@coffer/kit/events/changes'
import { sql } from 'slonik'
import { Envelope } from '../book/envelope.ts'
import { envelopeChanges } from '../money/money-events.service.ts'

type EnvelopeKey = Pick<Envelope, 'accountId' | 'bankAccountId' | 'spendingId'>

const pageSize = 500

/**
 * Emits the state of all open envelopes again with unchanged versions, for a NATS that has lost
 * events (`coffer replay`, docs/events.md#keeping-and-replay). Returns the number of envelopes.
 */
export async function restateEnvelopes(database: Database): Promise<number> {
  let restated = 0
  let last: EnvelopeKey | undefined = { accountId: '', bankAccountId: '', spendingId: '' }
  while (last) {
    const page: readonly Envelope[] = await database.pool.any(sql.type(Envelope)`
      SELECT ${columnsOf(Envelope, { table: 'envelopes' })} FROM envelopes
      WHERE closed_at IS NULL AND (account_id, bank_account_id, spending_id)
        > (${last.accountId}, ${last.bankAccountId}, ${last.spendingId})
      ORDER BY account_id, bank_account_id, spending_id LIMIT ${pageSize}`)
    if (page.length > 0) await database.transaction((tx) => emit(tx, ...changesOfPage(page)))
    restated += page.length
    last = page.at(pageSize - 1)
  }
  return restated
}

function changesOfPage(page: readonly Envelope[]): Change[] {
  const byAccount = Map.groupBy(page, keyOf)
  return [...byAccount.values()].flatMap((envelopes) =>
    // The event requires one version, so it has that of the first envelope. Consumers compare the
    // versions of the envelopes in it.
    envelopes.slice(0, 1).flatMap((one) => envelopeChanges(one, envelopes)),
  )
}
