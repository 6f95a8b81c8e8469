import type { BankAccountKey } from '@coffer/kit/database/aggregate-key'
import type { Database } from '@coffer/kit/database/database'
import { columnsOf } from '@coffer/kit/database/rows'
import { prepare } from '@coffer/kit/database/statement'
import type { HistoryPlace } from '@coffer/proto/ledger/v1/history'
import { type FragmentSqlToken, sql } from 'slonik'
import { z } from 'zod'
import { JournalEntry } from '../book/journal.ts'

/**
 * A journal row with its transaction or upload, if one is stored, and for a transfer the other
 * envelope (null is free-to-use money).
 */
export const HistoryRow = z.object({
  ...JournalEntry.shape,
  entryId: z.bigint(),
  otherSpendingId: z.string().nullable(),
  transaction: z.record(z.string(), z.unknown()).nullable(),
  transactionUploadId: z.string().nullable(),
  fileName: z.string().nullable(),
  deletedSpendingName: z.string().nullable(),
})
export type HistoryRow = z.infer<typeof HistoryRow>

const Row = z.union([HistoryRow, z.object({ entryId: z.null() })])

/** Columns of a journal row, its transaction or upload, and a transfer's other envelope. */
const columns = sql.fragment`
  ${columnsOf(JournalEntry, { table: 'entry' })}, entry.entry_id AS "entryId",
  other.spending_id AS "otherSpendingId", to_jsonb(subject) AS transaction,
  upload.transaction_upload_id AS "transactionUploadId", file.name AS "fileName",
  pot.closed_name AS "deletedSpendingName"`

const subjects = sql.fragment`
  LEFT JOIN transactions AS subject ON subject.account_id = entry.account_id
    AND subject.bank_account_id = entry.bank_account_id
    AND subject.transaction_id = entry.cause_id
  LEFT JOIN uploads AS upload ON upload.account_id = entry.account_id
    AND upload.bank_account_id = entry.bank_account_id
    AND upload.transaction_upload_id = entry.cause_id
  LEFT JOIN files AS file ON file.account_id = upload.account_id AND file.file_id = upload.file_id
  LEFT JOIN envelopes AS pot ON pot.account_id = entry.account_id
    AND pot.bank_account_id = entry.bank_account_id AND pot.spending_id = entry.spending_id
  LEFT JOIN LATERAL (
    SELECT spending_id FROM journal
    WHERE account_id = entry.account_id AND operation_id = entry.operation_id
      AND bank_account_id = entry.bank_account_id AND spending_id <> entry.spending_id
      AND cause = 'transfer' AND entry.cause = 'transfer'
    LIMIT 1
  ) AS other ON true`

const parameterNames = ['accountId', 'bankAccountId', 'before', 'limit'] as const
type Parameter = (typeof parameterNames)[number]

const pageOfAccount = prepare(parameterNames, (row) => {
  return pageOf(row, { spent: sql.fragment``, envelope: sql.fragment``, open: sql.fragment`` })
})

const pageOfEnvelope = prepare([...parameterNames, 'spendingId'], ({ spendingId, ...row }) => {
  return pageOf(row, {
    spent: sql.fragment`AND spending_id = ${spendingId}`,
    envelope: sql.fragment`JOIN envelopes USING (account_id, bank_account_id)`,
    open: sql.fragment`AND closed_at IS NULL`,
  })
})

// LEFT JOIN: a bank account or envelope without entries gives one row of nulls, a missing one none.
function pageOf(
  { accountId, bankAccountId, before, limit }: Record<Parameter, string>,
  { spent, envelope, open }: Record<'spent' | 'envelope' | 'open', FragmentSqlToken>,
) {
  const under = sql.fragment`account_id = ${accountId} AND bank_account_id = ${bankAccountId}`
  return sql.type(Row)`
    SELECT ${columns}
    FROM (
      SELECT FROM bank_accounts ${envelope}
      WHERE ${under} AND removed_at IS NULL ${spent} ${open}
    ) AS owner
    LEFT JOIN LATERAL (
      SELECT * FROM journal
      WHERE ${under} ${spent} AND entry_id < ${before}::bigint
      ORDER BY entry_id DESC LIMIT ${limit}::int
    ) AS entry ON true ${subjects}
    ORDER BY entry.entry_id DESC`
}

const EntryId = z.object({ entryId: z.bigint() })

/**
 * Returns the ID of the journal row that a cursor names, null if there is none. A cursor contains
 * fields of the row instead of its ID, because the ID discloses the number of rows of all accounts.
 */
export function findEntryId(
  { pool }: Database,
  { accountId, bankAccountId }: BankAccountKey,
  { operationId, spendingId, pot, cause }: HistoryPlace,
): Promise<bigint | null> {
  return pool.maybeOneFirst(sql.type(EntryId)`
    SELECT entry_id AS "entryId" FROM journal
    WHERE account_id = ${accountId} AND operation_id = ${operationId}
      AND bank_account_id = ${bankAccountId} AND pot = ${pot} AND cause = ${cause}
      AND spending_id IS NOT DISTINCT FROM ${spendingId ?? null}`)
}

/**
 * Lists journal rows whose ID is less than `before`, newest first. Returns null if the bank account
 * does not exist, or has no open envelope `spendingId`.
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
