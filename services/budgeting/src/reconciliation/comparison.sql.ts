import type { BankAccountKey } from '@coffer/kit/database/aggregate-key'
import type { Database } from '@coffer/kit/database/database'
import { columnsOf } from '@coffer/kit/database/rows'
import { sql } from 'slonik'
import { z } from 'zod'
import { FundingRun, RunLine } from '../book/funding-run.ts'

const Listed = z.object({
  accountId: z.string(),
  bankAccountId: z.string(),
  version: z.bigint(),
  isEnded: z.boolean(),
})

/** A bank account to compare: the version of its plans, and whether it has a tombstone. */
export type Listed = z.infer<typeof Listed>

/** Lists bank accounts that ever had plans, in key order, after the key `after` (null: all). */
export function listBankAccounts(
  { pool }: Database,
  { after, limit }: { after: BankAccountKey | null; limit: number },
): Promise<readonly Listed[]> {
  const { accountId, bankAccountId } = after ?? { accountId: '', bankAccountId: '' }
  return pool.any(sql.type(Listed)`
    SELECT account_id AS "accountId", bank_account_id AS "bankAccountId", version,
      EXISTS (SELECT FROM ended_bank_accounts AS ended
        WHERE ended.account_id = stored.account_id
          AND ended.bank_account_id = stored.bank_account_id) AS "isEnded"
    FROM plan_books AS stored
    WHERE (account_id, bank_account_id) > (${accountId}, ${bankAccountId})
    ORDER BY account_id, bank_account_id LIMIT ${limit}`)
}

const Key = z.object({ accountId: z.string(), bankAccountId: z.string() })

/** Returns those of the bank accounts that never had plans, without those of deleted accounts. */
export function listUnknown(
  { pool }: Database,
  keys: readonly BankAccountKey[],
): Promise<readonly BankAccountKey[]> {
  const rows = keys.map(({ accountId, bankAccountId }) => [accountId, bankAccountId])
  return pool.any(sql.type(Key)`
    SELECT account_id AS "accountId", bank_account_id AS "bankAccountId"
    FROM ${sql.unnest(rows, ['text', 'text'])} AS theirs (account_id, bank_account_id)
    WHERE NOT EXISTS (SELECT FROM plan_books AS ours
        WHERE ours.account_id = theirs.account_id
          AND ours.bank_account_id = theirs.bank_account_id)
      AND NOT EXISTS (SELECT FROM deleted_accounts AS deleted
        WHERE deleted.account_id = theirs.account_id)`)
}

/** Lists booked funding runs created since `since`, with their lines, ordered by occurrence. */
export async function listBookedRuns(
  { pool }: Database,
  { accountId, bankAccountId }: BankAccountKey,
  since: Date,
): Promise<{ run: FundingRun; lines: readonly RunLine[] }[]> {
  const scope = sql.fragment`account_id = ${accountId} AND bank_account_id = ${bankAccountId}`
  const runs = await pool.any(sql.type(FundingRun)`
    SELECT ${columnsOf(FundingRun, { table: 'funding_runs' })} FROM funding_runs
    WHERE ${scope} AND state = 'applied' AND created_at >= ${since.toISOString()}
    ORDER BY occurrence, funding_run_id`)
  if (runs.length === 0) return []
  const ids = runs.map(({ fundingRunId }) => fundingRunId)
  const lines = await pool.any(sql.type(RunLine)`
    SELECT ${columnsOf(RunLine, { table: 'funding_run_lines' })} FROM funding_run_lines
    WHERE ${scope} AND funding_run_id = ANY(${sql.array(ids, 'text')})`)
  const byRun = Map.groupBy(lines, ({ fundingRunId }) => fundingRunId)
  return runs.map((run) => ({ run, lines: byRun.get(run.fundingRunId) ?? [] }))
}
