import type { Database } from '@coffer/kit/database/database'
import { columnsOf } from '@coffer/kit/database/rows'
import { prepare } from '@coffer/kit/database/statement'
import { type FragmentSqlToken, sql } from 'slonik'
import { z } from 'zod'
import { JournalEntry } from '../money/journal.ts'
import { HistoryRow } from './history.ts'

const Row = z.union([HistoryRow, z.object({ entryId: z.null() })])

/** Columns of a page beside the journal's own; each is a look-up by key, one for each row. */
const columns = sql.fragment`
  ${columnsOf(JournalEntry, { table: 'entry' })}, entry.entry_id AS "entryId",
  other.spending_id AS "otherSpendingId", to_jsonb(subject) AS transaction,
  upload.transaction_upload_id AS "transactionUploadId", file.name AS "fileName"`

const subjects = sql.fragment`
  LEFT JOIN transactions AS subject ON subject.account_id = entry.account_id
    AND subject.bank_account_id = entry.bank_account_id
    AND subject.transaction_id = entry.cause_id
  LEFT JOIN uploads AS upload ON upload.account_id = entry.account_id
    AND upload.bank_account_id = entry.bank_account_id
    AND upload.transaction_upload_id = entry.cause_id
  LEFT JOIN files AS file ON file.account_id = upload.account_id AND file.file_id = upload.file_id
  LEFT JOIN LATERAL (
    SELECT spending_id FROM journal
    WHERE account_id = entry.account_id AND operation_id = entry.operation_id
      AND bank_account_id = entry.bank_account_id AND spending_id <> entry.spending_id
      AND cause = 'transfer' AND entry.cause = 'transfer'
    LIMIT 1
  ) AS other ON true`

// Left join from the owner: an empty page differs from a missing owner.
const pageOfAccount = prepare(
  ['accountId', 'bankAccountId', 'before', 'limit'],
  ({ accountId, bankAccountId, before, limit }) => {
    const under = sql.fragment`account_id = ${accountId} AND bank_account_id = ${bankAccountId}`
    return sql.type(Row)`
      SELECT ${columns}
      FROM (SELECT FROM bank_accounts WHERE ${under} AND removed_at IS NULL) AS owner
      LEFT JOIN LATERAL (
        SELECT * FROM journal WHERE ${under} AND ${pageBefore({ before, limit })}
      ) AS entry ON true ${subjects}
      ORDER BY entry.entry_id DESC`
  },
)

const pageOfEnvelope = prepare(
  ['accountId', 'bankAccountId', 'spendingId', 'before', 'limit'],
  ({ accountId, bankAccountId, spendingId, before, limit }) => {
    const under = sql.fragment`account_id = ${accountId} AND bank_account_id = ${bankAccountId}`
    return sql.type(Row)`
      SELECT ${columns}
      FROM (
        SELECT FROM bank_accounts JOIN envelopes USING (account_id, bank_account_id)
        WHERE ${under} AND removed_at IS NULL AND spending_id = ${spendingId}
          AND closed_at IS NULL
      ) AS owner
      LEFT JOIN LATERAL (
        SELECT * FROM journal
        WHERE ${under} AND spending_id = ${spendingId} AND ${pageBefore({ before, limit })}
      ) AS entry ON true ${subjects}
      ORDER BY entry.entry_id DESC`
  },
)

function pageBefore({ before, limit }: { before: string; limit: string }): FragmentSqlToken {
  return sql.fragment`entry_id < ${before}::bigint ORDER BY entry_id DESC LIMIT ${limit}::int`
}

const EntryId = z.object({ entryId: z.bigint() })

/** The entry ID of a cursor, by the unique index `journal_once`; null if there is none. */
export function findEntryId(
  { pool }: Database,
  accountId: string,
  place: {
    bankAccountId: string
    operationId: string
    spendingId: string | null
    pot: string
    cause: string
  },
): Promise<bigint | null> {
  return pool.maybeOneFirst(sql.type(EntryId)`
    SELECT entry_id AS "entryId" FROM journal
    WHERE account_id = ${accountId} AND operation_id = ${place.operationId}
      AND bank_account_id = ${place.bankAccountId} AND pot = ${place.pot}
      AND cause = ${place.cause} AND spending_id IS NOT DISTINCT FROM ${place.spendingId}`)
}

/**
 * A page of entries before an entry ID, newest first; null if there is no such bank account, or no
 * such open envelope in it.
 */
export async function listHistory(
  { pool }: Database,
  accountId: string,
  {
    spendingId,
    ...page
  }: { bankAccountId: string; spendingId: string | null; before: bigint; limit: number },
): Promise<readonly HistoryRow[] | null> {
  const rows = await pool.any(
    spendingId
      ? pageOfEnvelope({ ...page, accountId, spendingId })
      : pageOfAccount({ ...page, accountId }),
  )
  return rows.length === 0 ? null : rows.filter((row) => row.entryId !== null)
}
