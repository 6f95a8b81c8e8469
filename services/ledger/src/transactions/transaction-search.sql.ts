import type { Database } from '@coffer/kit/database/database'
import { columnsOf, namesOf } from '@coffer/kit/database/rows'
import { prepareParts } from '@coffer/kit/database/statement'
import { type FragmentSqlToken, StatementTimeoutError, sql } from 'slonik'
import { z } from 'zod'
import { isUndecided } from '../book/field-marks.sql.ts'
import { searchedTexts, Transaction } from '../book/transaction.ts'
import { type Listed, ListedRow, listedOf } from './transaction.sql.ts'
import { TransactionCursor, type TransactionSearch } from './transaction-search.ts'

const columns = columnsOf(Transaction, { table: 'transactions' })
const texts = namesOf(searchedTexts)
const Found = Transaction.extend({ found: z.bigint() })

const names = [
  ...(['accountId', 'bankAccountId', 'spendingId', 'from', 'beforeDate', 'beforeId'] as const),
  ...(['text', 'amount', 'amountFrom', 'amountTo', 'source', 'tag', 'examined', 'limit'] as const),
  'foundMax' as const,
]
type Parameters = Record<(typeof names)[number], string>

/** Filters that change the SQL of the prepared statement; all other values are parameters. */
type Filter =
  | ('everywhere' | 'deleted' | 'envelope' | 'free' | 'undecided' | 'pending' | 'posted')
  | ('amount' | 'amountFrom' | 'amountTo' | 'source' | 'tag' | 'text')
type Filters = ReadonlySet<Filter>

function filtersOf(search: TransactionSearch): Filter[] {
  const { spendingId, isDeleted, isFree, isPending, text } = search
  const { amount, amountFrom, amountTo, source } = search
  const filters: Record<Filter, boolean> = {
    everywhere: search.bankAccountId === null,
    deleted: isDeleted,
    envelope: spendingId !== null,
    free: isFree,
    undecided: search.isUndecided,
    pending: isPending === true,
    posted: isPending === false,
    amount: amount !== null,
    amountFrom: amountFrom !== null,
    amountTo: amountTo !== null,
    source: source !== null,
    tag: search.tag !== null,
    text: text !== null,
  }
  return (Object.keys(filters) as Filter[]).filter((name) => filters[name])
}

/**
 * Returns the matches among the newest `examined` transactions of the bank account, the envelope or
 * all bank accounts; null if the bank account is missing, or the envelope is missing or closed.
 */
export async function scan(
  { pool }: Database,
  accountId: string,
  { search, examined }: { search: TransactionSearch; examined: number },
): Promise<Listed | null> {
  const values = valuesOf(accountId, search, { examined })
  const rows = await pool.any(scanStatement(values, filtersOf(search)))
  return listedOf(rows)
}

/** Returns the cursor after `examined` scanned transactions; null if there are fewer. */
export function endOfScan(
  { pool }: Database,
  accountId: string,
  { search, examined }: { search: TransactionSearch; examined: number },
): Promise<TransactionCursor | null> {
  const values = valuesOf(accountId, search, { examined })
  return pool.maybeOne(endStatement(values, filtersOf(search)))
}

/**
 * Returns the newest matches by the trigram index, and the number of all matches; null if there are
 * more than `foundMax`, or if the query takes longer than `withinMs`.
 */
export async function findByText(
  database: Database,
  accountId: string,
  of: { search: TransactionSearch; foundMax: number; withinMs: number },
): Promise<{ transactions: Transaction[]; found: number } | null> {
  const { search, foundMax, withinMs } = of
  const values = valuesOf(accountId, search, { foundMax: foundMax + 1 })
  const run = database.transaction(async (tx) => {
    await tx.query(sql.unsafe`
      SELECT set_config('statement_timeout', ${String(withinMs)}, true)`)
    return tx.any(findStatement(values, filtersOf(search)))
  })
  try {
    const rows = await run
    const found = Number(rows[0]?.found ?? 0)
    return found > foundMax ? null : { transactions: [...rows], found }
  } catch (error) {
    if (error instanceof StatementTimeoutError) return null
    throw error
  }
}

const scanStatement = prepareParts(
  names,
  (p, has: Filters) => sql.type(ListedRow)`
    SELECT ${columns}, owner.version AS "accountVersion"
    FROM ${ownerOf(p, has)} AS owner LEFT JOIN LATERAL (
      SELECT * FROM (
        SELECT * FROM transactions WHERE ${scannedBy(p, has)}
        ORDER BY date DESC, transaction_id DESC LIMIT ${p.examined}::int
      ) AS scanned WHERE ${keptBy(p, has)}
      ORDER BY date DESC, transaction_id DESC LIMIT ${p.limit}::int
    ) AS transactions ON true
    ORDER BY transactions.date DESC, transactions.transaction_id DESC`,
)

const endStatement = prepareParts(
  names,
  (p, has: Filters) => sql.type(TransactionCursor)`
    SELECT date, transaction_id AS "transactionId" FROM transactions
    WHERE ${scannedBy(p, has)}
    ORDER BY date DESC, transaction_id DESC OFFSET ${p.examined}::int - 1 LIMIT 1`,
)

const findStatement = prepareParts(
  names,
  (p, has: Filters) => sql.type(Found)`
    WITH matching AS MATERIALIZED (
      SELECT * FROM transactions
      WHERE ${indexedBy(p, has)}
        AND ${textLike(p)} AND deleted_at IS NULL
    ), found AS MATERIALIZED (
      SELECT * FROM matching WHERE ${inRange(p)} AND ${keptBy(p, has)}
        ${has.has('envelope') ? sql.fragment`AND spending_id = ${p.spendingId}` : sql.fragment``}
      LIMIT ${p.foundMax}::int
    )
    SELECT ${columns}, (SELECT count(*) FROM found) AS found FROM found AS transactions
    ORDER BY date DESC, transaction_id DESC LIMIT ${p.limit}::int`,
)

/** Returns the SQL condition on the first column of the trigram index. */
function indexedBy(p: Parameters, has: Filters): FragmentSqlToken {
  const owner = sql.fragment`ARRAY[account_id || '/' || bank_account_id]`
  return has.has('everywhere')
    ? sql.fragment`${owner} && ARRAY(
          SELECT owned.account_id || '/' || owned.bank_account_id
          FROM bank_accounts AS owned ${isOwned(p)})`
    : sql.fragment`${owner}
          @> ARRAY[${p.accountId}::text || '/' || ${p.bankAccountId}::text]`
}

/** Returns the WHERE clause of the bank accounts in a list over all bank accounts. */
function isOwned({ accountId }: Parameters): FragmentSqlToken {
  return sql.fragment`WHERE owned.account_id = ${accountId} AND owned.removed_at IS NULL`
}

function ownerOf(p: Parameters, has: Filters): FragmentSqlToken {
  // The version of a list over all bank accounts is a digest of their versions. Versions are by the
  // clocks of several processes, so the largest one may stay the same after a change.
  if (has.has('everywhere')) {
    return sql.fragment`(
      SELECT coalesce(hashtextextended(string_agg(
        bank_account_id || version, ',' ORDER BY bank_account_id), 0), 0) AS version
      FROM bank_accounts AS owned ${isOwned(p)})`
  }
  const under = sql.fragment`account_id = ${p.accountId} AND bank_account_id = ${p.bankAccountId}
    AND removed_at IS NULL`
  return has.has('envelope')
    ? sql.fragment`(
        SELECT bank_accounts.version
        FROM bank_accounts JOIN envelopes USING (account_id, bank_account_id)
        WHERE ${under} AND spending_id = ${p.spendingId} AND closed_at IS NULL)`
    : sql.fragment`(SELECT version FROM bank_accounts WHERE ${under})`
}

/** Returns the SQL conditions that an index serves: they select the transactions to scan. */
function scannedBy(p: Parameters, has: Filters): FragmentSqlToken {
  const owned = has.has('everywhere')
    ? sql.fragment`account_id = ${p.accountId}`
    : sql.fragment`account_id = ${p.accountId} AND bank_account_id = ${p.bankAccountId}`
  // One index serves all deleted transactions: their other filters are checked row by row.
  if (has.has('deleted')) {
    return sql.fragment`${owned} AND deleted_at IS NOT NULL AND ${inRange(p)}`
  }
  const under = sql.fragment`${owned} AND deleted_at IS NULL AND ${inRange(p)}`
  if (has.has('envelope')) return sql.fragment`${under} AND spending_id = ${p.spendingId}`
  return has.has('pending') && !has.has('everywhere')
    ? sql.fragment`${under} AND is_pending`
    : under
}

function inRange(p: Parameters): FragmentSqlToken {
  return sql.fragment`date >= ${p.from}::timestamptz
    AND (date, transaction_id) < (${p.beforeDate}::timestamptz, ${p.beforeId}::text)`
}

/** Returns the SQL conditions to check for each scanned transaction. */
function keptBy(p: Parameters, has: Filters): FragmentSqlToken {
  const kept = [
    ...(has.has('everywhere')
      ? [
          sql.fragment`bank_account_id IN (
          SELECT owned.bank_account_id FROM bank_accounts AS owned ${isOwned(p)})`,
        ]
      : []),
    ...(has.has('deleted') && has.has('envelope')
      ? [sql.fragment`spending_id = ${p.spendingId}`]
      : []),
    ...(has.has('free') ? [sql.fragment`spending_id IS NULL`] : []),
    ...(has.has('undecided') ? [isUndecided] : []),
    ...(has.has('pending') ? [sql.fragment`is_pending`] : []),
    ...(has.has('posted') ? [sql.fragment`NOT is_pending`] : []),
    ...(has.has('amount') ? [sql.fragment`abs(amount) = abs(${p.amount}::bigint)`] : []),
    ...(has.has('amountFrom') ? [sql.fragment`amount >= ${p.amountFrom}::bigint`] : []),
    ...(has.has('amountTo') ? [sql.fragment`amount <= ${p.amountTo}::bigint`] : []),
    ...(has.has('source') ? [sql.fragment`source = ${p.source}`] : []),
    ...(has.has('tag') ? [isTagged(p)] : []),
    ...(has.has('text') ? [textLike(p)] : []),
  ]
  return kept.length === 0
    ? sql.fragment`true`
    : sql.fragment`${sql.join(kept, sql.fragment` AND `)}`
}

function isTagged(p: Parameters): FragmentSqlToken {
  return sql.fragment`tags IS NOT NULL AND EXISTS (
        SELECT FROM unnest(tags) AS tag WHERE folded_text(tag) = folded_text(${p.tag}))`
}

function textLike(p: Parameters): FragmentSqlToken {
  return sql.fragment`coalesce(searched_text, folded_transaction_text(${texts}))
    LIKE folded_pattern(${p.text})`
}

function valuesOf(
  accountId: string,
  search: TransactionSearch,
  { examined = 0, foundMax = 0 }: { examined?: number; foundMax?: number },
) {
  const { bankAccountId, spendingId, text, amount, amountFrom, amountTo, source } = search
  const { from, behind, limit, tag } = search
  return {
    accountId,
    bankAccountId,
    spendingId,
    amount,
    amountFrom,
    amountTo,
    source,
    tag,
    limit,
    examined,
    foundMax,
    text,
    from: from.toISOString(),
    beforeDate: behind.date.toISOString(),
    beforeId: behind.transactionId,
  }
}
