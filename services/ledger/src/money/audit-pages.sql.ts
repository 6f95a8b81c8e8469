import type { Database } from '@coffer/kit/database/database'
import { type FragmentSqlToken, sql } from 'slonik'
import { z } from 'zod'

const Row = z.object({
  accountId: z.string(),
  bankAccountId: z.string(),
  id: z.string(),
  createdAt: z.date(),
})

const pageSize = 5000
const beforeAll = { accountId: '', bankAccountId: '', id: '' }

/**
 * Returns generators that read all accounts page by page, for the audit that compares money with
 * plans: live bank accounts, open envelopes and saved funding runs. `id` is the ID of each row: of
 * the bank account, the envelope (`spendingId`) or the funding run.
 */
export function auditPages(database: Database) {
  const bankAccounts: Pages = {
    table: 'bank_accounts',
    id: 'bank_account_id',
    createdAt: 'created_at',
    where: sql.fragment`removed_at IS NULL AND deleted_at IS NULL`,
  }
  const openEnvelopes: Pages = {
    table: 'envelopes',
    id: 'spending_id',
    createdAt: 'opened_at',
    where: sql.fragment`closed_at IS NULL`,
  }
  const bookedRuns: Pages = {
    table: 'operations',
    id: 'operation_id',
    createdAt: 'created_at',
    where: sql.fragment`operation_id LIKE 'run\\_%'`,
  }
  return {
    bankAccounts: () => pagesOf(database, bankAccounts),
    openEnvelopes: () => pagesOf(database, openEnvelopes),
    bookedRuns: () => pagesOf(database, bookedRuns),
  }
}

/** The table to read, its ID and creation-time columns, and the condition on its rows. */
interface Pages {
  table: string
  id: string
  createdAt: string
  where: FragmentSqlToken
}

async function* pagesOf(
  { pool }: Database,
  { table, id, createdAt, where }: Pages,
): AsyncGenerator<readonly z.infer<typeof Row>[]> {
  const key = sql.identifier([id])
  let last: Omit<z.infer<typeof Row>, 'createdAt'> | undefined = beforeAll
  while (last) {
    const page: readonly z.infer<typeof Row>[] = await pool.any(sql.type(Row)`
      SELECT account_id AS "accountId", bank_account_id AS "bankAccountId", ${key} AS id,
        ${sql.identifier([createdAt])} AS "createdAt"
      FROM ${sql.identifier([table])}
      WHERE ${where} AND (account_id, bank_account_id, ${key})
        > (${last.accountId}, ${last.bankAccountId}, ${last.id})
      ORDER BY account_id, bank_account_id, ${key} LIMIT ${pageSize}`)
    if (page.length > 0) yield page
    last = page.at(pageSize - 1)
  }
}
