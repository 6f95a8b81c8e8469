import type { Database } from '@coffer/kit/database/database'
import { columnsOf, namesOf } from '@coffer/kit/database/rows'
import { prepare } from '@coffer/kit/database/statement'
import { type FragmentSqlToken, type QuerySqlToken, StatementTimeoutError, sql } from 'slonik'
import { z } from 'zod'
import { searchedTexts, Transaction } from './transaction.ts'
import { Place, patternOf, type TransactionSearch } from './transaction-search.ts'

const columns = columnsOf(Transaction, { table: 'transactions' })
const texts = namesOf(searchedTexts)
const Row = z.union([Transaction, z.object({ transactionId: z.null() })])
const Found = Transaction.extend({ found: z.bigint() })

const names = [
  ...(['accountId', 'bankAccountId', 'spendingId', 'from', 'beforeDate', 'beforeId'] as const),
  ...(['pattern', 'examined', 'limit', 'foundMax'] as const),
]
type Parameters = Record<(typeof names)[number], string>

/** The filters that select a prepared statement; all other values are its parameters. */
type Shape = Pick<TransactionSearch, 'isFree' | 'isPending'> & {
  hasEnvelope: boolean
  hasText: boolean
}

/**
 * The newest matches among the first `examined` transactions of the index that fits the filter;
 * null if there is no such bank account, or no such open envelope in it.
 */
export async function walk(
  { pool }: Database,
  accountId: string,
  { search, examined }: { search: TransactionSearch; examined: number },
): Promise<Transaction[] | null> {
  const rows = await pool.any(statementsOf(search).walk(valuesOf(accountId, search, { examined })))
  return rows.length === 0 ? null : rows.flatMap((row) => (row.transactionId === null ? [] : row))
}

/** The last cursor that `walk` examines; null if the index ends before. */
export function endOfWalk(
  { pool }: Database,
  accountId: string,
  { search, examined }: { search: TransactionSearch; examined: number },
): Promise<Place | null> {
  return pool.maybeOne(statementsOf(search).end(valuesOf(accountId, search, { examined })))
}

/**
 * The newest matches by the trigram index, and the number of matches. Null if there are more than
 * `foundMax`, or if the query takes longer than `withinMs`.
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
    return tx.any(statementsOf(search).find(values))
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

const prepared = new Map<string, ReturnType<typeof prepareAll>>()

function statementsOf({ spendingId, isFree, isPending, text }: TransactionSearch) {
  const shape = { isFree, isPending, hasEnvelope: spendingId !== null, hasText: text !== null }
  const key = JSON.stringify(shape)
  const known = prepared.get(key)
  if (known) return known
  const fresh = prepareAll(shape)
  prepared.set(key, fresh)
  return fresh
}

function prepareAll(shape: Shape) {
  const statement = <Token extends QuerySqlToken>(build: (p: Parameters) => Token) =>
    prepare(names, build)
  return {
    walk: statement(
      (p) => sql.type(Row)`
      SELECT ${columns} FROM ${ownerOf(shape, p)} AS owner LEFT JOIN LATERAL (
        SELECT * FROM (
          SELECT * FROM transactions WHERE ${walkedBy(shape, p)}
          ORDER BY date DESC, transaction_id DESC LIMIT ${p.examined}::int
        ) AS walked WHERE ${keptBy(shape, p)}
        ORDER BY date DESC, transaction_id DESC LIMIT ${p.limit}::int
      ) AS transactions ON true
      ORDER BY transactions.date DESC, transactions.transaction_id DESC`,
    ),
    end: statement(
      (p) => sql.type(Place)`
      SELECT date, transaction_id AS "transactionId" FROM transactions
      WHERE ${walkedBy(shape, p)}
      ORDER BY date DESC, transaction_id DESC OFFSET ${p.examined}::int - 1 LIMIT 1`,
    ),
    find: statement(
      (p) => sql.type(Found)`
      WITH matching AS MATERIALIZED (
        SELECT * FROM transactions
        WHERE ARRAY[account_id || '/' || bank_account_id]
            @> ARRAY[${p.accountId}::text || '/' || ${p.bankAccountId}::text]
          AND ${textLike(p)} AND deleted_at IS NULL
      ), found AS MATERIALIZED (
        SELECT * FROM matching WHERE ${inRange(p)} AND ${keptBy(shape, p)}
          ${shape.hasEnvelope ? sql.fragment`AND spending_id = ${p.spendingId}` : sql.fragment``}
        LIMIT ${p.foundMax}::int
      )
      SELECT ${columns}, (SELECT count(*) FROM found) AS found FROM found AS transactions
      ORDER BY date DESC, transaction_id DESC LIMIT ${p.limit}::int`,
    ),
  }
}

function ownerOf({ hasEnvelope }: Shape, p: Parameters): FragmentSqlToken {
  const under = sql.fragment`account_id = ${p.accountId} AND bank_account_id = ${p.bankAccountId}
    AND removed_at IS NULL`
  return hasEnvelope
    ? sql.fragment`(
        SELECT FROM bank_accounts JOIN envelopes USING (account_id, bank_account_id)
        WHERE ${under} AND spending_id = ${p.spendingId} AND closed_at IS NULL)`
    : sql.fragment`(SELECT FROM bank_accounts WHERE ${under})`
}

/** Conditions that the index guarantees for each transaction of the walk. */
function walkedBy({ hasEnvelope, isPending }: Shape, p: Parameters): FragmentSqlToken {
  const under = sql.fragment`account_id = ${p.accountId} AND bank_account_id = ${p.bankAccountId}
    AND deleted_at IS NULL AND ${inRange(p)}`
  if (hasEnvelope) return sql.fragment`${under} AND spending_id = ${p.spendingId}`
  return isPending ? sql.fragment`${under} AND is_pending` : under
}

function inRange(p: Parameters): FragmentSqlToken {
  return sql.fragment`date >= ${p.from}::timestamptz
    AND (date, transaction_id) < (${p.beforeDate}::timestamptz, ${p.beforeId}::text)`
}

/** Conditions that the walk checks for each transaction. */
function keptBy({ isFree, isPending, hasText }: Shape, p: Parameters): FragmentSqlToken {
  const kept = [
    ...(isFree ? [sql.fragment`spending_id IS NULL`] : []),
    ...(isPending === true ? [sql.fragment`is_pending`] : []),
    ...(isPending === false ? [sql.fragment`NOT is_pending`] : []),
    ...(hasText ? [textLike(p)] : []),
  ]
  return kept.length === 0
    ? sql.fragment`true`
    : sql.fragment`${sql.join(kept, sql.fragment` AND `)}`
}

function textLike(p: Parameters): FragmentSqlToken {
  return sql.fragment`transaction_text(${texts}) ILIKE ${p.pattern}`
}

function valuesOf(
  accountId: string,
  { bankAccountId, spendingId, text, from, behind, limit }: TransactionSearch,
  { examined = 0, foundMax = 0 }: { examined?: number; foundMax?: number },
) {
  return {
    accountId,
    bankAccountId,
    spendingId,
    limit,
    examined,
    foundMax,
    pattern: text === null ? null : patternOf(text),
    from: from.toISOString(),
    beforeDate: behind.date.toISOString(),
    beforeId: behind.transactionId,
  }
}
