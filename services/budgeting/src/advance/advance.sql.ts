import type { Database } from '@coffer/kit/database/database'
import { prepare } from '@coffer/kit/database/statement'
import { type FragmentSqlToken, sql } from 'slonik'
import { z } from 'zod'

const DueRow = z.object({ accountId: z.string(), bankAccountId: z.string(), dueAt: z.date() })

/**
 * A bank account with a schedule, plan or funding run that the hourly job has to process, and the
 * instant since which it is due. The next page begins after the last row of a page.
 */
export type DueRow = z.infer<typeof DueRow>

const pageNames = ['now', 'dueAt', 'accountId', 'bankAccountId', 'limit'] as const
type PageRow = Record<(typeof pageNames)[number], string>

/**
 * Selects a table's due rows, the earliest first, without those of archived or removed bank
 * accounts and of accounts that are not paid up. OFFSET 0 is an optimization fence: Postgres checks
 * the tombstone and the subscription row by row. Plain joins read every due row (0.9 s instead of
 * 0.6 ms, with 50,000 accounts and no statistics).
 */
function dueIn(
  page: PageRow,
  { table, instant, isDue }: { table: string; instant: string; isDue: FragmentSqlToken },
): FragmentSqlToken {
  const at = sql.identifier([instant])
  return sql.fragment`(
    SELECT account_id, bank_account_id, ${at} AS due_at FROM ${sql.identifier([table])} AS due
    WHERE ${at} <= ${page.now}::timestamptz AND ${isDue}
      AND (${at}, account_id, bank_account_id)
        > (${page.dueAt}::timestamptz, ${page.accountId}::text, ${page.bankAccountId}::text)
      AND NOT EXISTS (SELECT FROM ended_bank_accounts AS ended
        WHERE ended.account_id = due.account_id AND ended.bank_account_id = due.bank_account_id
        OFFSET 0)
      AND NOT EXISTS (SELECT FROM account_settings AS settings
        WHERE settings.account_id = due.account_id
          AND settings.subscription_active_until <= ${page.now}::timestamptz
        OFFSET 0)
    ORDER BY ${at}, account_id, bank_account_id LIMIT ${page.limit}::int
  )`
}

const hasNext = sql.fragment`last_recurrence IS DISTINCT FROM next_recurrence`
const isFiring = sql.fragment`${hasNext} AND deleted_at IS NULL`
const isOpenAndDue = sql.fragment`state = 'open' AND NOT is_paused AND ${hasNext}`
const isGraced = sql.fragment`state = 'open' AND NOT is_paused AND grace_until IS NOT NULL`
const isPending = sql.fragment`state = 'pending'`

const duePage = prepare(
  pageNames,
  (page) => sql.type(DueRow)`
    SELECT account_id AS "accountId", bank_account_id AS "bankAccountId", due_at AS "dueAt"
    FROM (
      ${dueIn(page, { table: 'funding_schedules', instant: 'next_recurrence', isDue: isFiring })}
      UNION ALL
      ${dueIn(page, { table: 'spending', instant: 'next_recurrence', isDue: isOpenAndDue })}
      UNION ALL
      ${dueIn(page, { table: 'spending', instant: 'grace_until', isDue: isGraced })}
      UNION ALL
      ${dueIn(page, { table: 'funding_runs', instant: 'occurrence', isDue: isPending })}
    ) AS due
    ORDER BY due_at, account_id, bank_account_id LIMIT ${page.limit}::int`,
)

/**
 * Lists the rows due at `now`, the earliest first: schedules, plans, graces, pending funding runs.
 * `after` is the last row of the page before. A bank account may appear several times. Leaves out
 * archived or removed bank accounts, and accounts that are not paid up. The cost grows with
 * `limit`, not with the number of due rows.
 */
export function listDue(
  { pool }: Database,
  { now, after, limit }: { now: Date; after: DueRow | null; limit: number },
): Promise<readonly DueRow[]> {
  const { dueAt, accountId, bankAccountId } = after ?? beforeAll
  return pool.any(
    duePage({
      accountId,
      bankAccountId,
      limit,
      now: now.toISOString(),
      dueAt: dueAt.toISOString(),
    }),
  )
}

const beforeAll: DueRow = { dueAt: new Date(0), accountId: '', bankAccountId: '' }
