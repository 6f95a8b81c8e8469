import type { Database } from '@coffer/kit/database/database'
import { type FragmentSqlToken, sql } from 'slonik'
import { z } from 'zod'

const Row = z.object({ accountId: z.string(), bankAccountId: z.string(), id: z.string() })

const pageSize = 5000

/**
 * Pages of the open envelopes and of the booked funding runs of all accounts, for the audit of the
 * plans. `id` is a spending ID or an operation ID.
 */
export function auditPages(database: Database) {
  const isOpen = sql.fragment`closed_at IS NULL`
  const isRun = sql.fragment`operation_id LIKE 'run\\_%'`
  return {
    openEnvelopes: () =>
      pagesOf(database, { table: 'envelopes', id: 'spending_id', where: isOpen }),
    bookedRuns: () => pagesOf(database, { table: 'operations', id: 'operation_id', where: isRun }),
  }
}

async function* pagesOf(
  { pool }: Database,
  { table, id, where }: { table: string; id: string; where: FragmentSqlToken },
): AsyncGenerator<readonly z.infer<typeof Row>[]> {
  const key = sql.identifier([id])
  let last: z.infer<typeof Row> | undefined = { accountId: '', bankAccountId: '', id: '' }
  while (last) {
    const page: readonly z.infer<typeof Row>[] = await pool.any(sql.type(Row)`
      SELECT account_id AS "accountId", bank_account_id AS "bankAccountId", ${key} AS id
      FROM ${sql.identifier([table])}
      WHERE ${where} AND (account_id, bank_account_id, ${key})
        > (${last.accountId}, ${last.bankAccountId}, ${last.id})
      ORDER BY account_id, bank_account_id, ${key} LIMIT ${pageSize}`)
    if (page.length > 0) yield page
    last = page.at(pageSize - 1)
  }
}
