import type { Database } from '@coffer/kit/database/database'
import { sql } from 'slonik'
import { z } from 'zod'

const Entry = z.object({ accountId: z.string(), bankAccountId: z.string(), id: z.string() })

/** An open envelope (`id` is the spending ID) or a booked run (`id` is the operation ID). */
type BookEntry = z.infer<typeof Entry>

const pageSize = 5000

/** Pages of the open envelopes of all accounts, for the audit against budgeting's plans. */
export function openEnvelopePages(database: Database): AsyncIterable<readonly BookEntry[]> {
  return pages(({ accountId, bankAccountId, id }) =>
    database.pool.any(sql.type(Entry)`
      SELECT account_id AS "accountId", bank_account_id AS "bankAccountId", spending_id AS id
      FROM envelopes
      WHERE closed_at IS NULL
        AND (account_id, bank_account_id, spending_id) > (${accountId}, ${bankAccountId}, ${id})
      ORDER BY account_id, bank_account_id, spending_id LIMIT ${pageSize}`),
  )
}

/** Pages of the booked funding runs of all accounts, for the audit against budgeting's runs. */
export function bookedRunPages(database: Database): AsyncIterable<readonly BookEntry[]> {
  return pages(({ accountId, bankAccountId, id }) =>
    database.pool.any(sql.type(Entry)`
      SELECT account_id AS "accountId", bank_account_id AS "bankAccountId", operation_id AS id
      FROM operations
      WHERE operation_id LIKE 'run\\_%'
        AND (account_id, bank_account_id, operation_id) > (${accountId}, ${bankAccountId}, ${id})
      ORDER BY account_id, bank_account_id, operation_id LIMIT ${pageSize}`),
  )
}

async function* pages(
  pageAfter: (after: BookEntry) => Promise<readonly BookEntry[]>,
): AsyncGenerator<readonly BookEntry[]> {
  let last: BookEntry | undefined = { accountId: '', bankAccountId: '', id: '' }
  while (last) {
    const page: readonly BookEntry[] = await pageAfter(last)
    if (page.length > 0) yield page
    last = page.length === pageSize ? page.at(-1) : undefined
  }
}
