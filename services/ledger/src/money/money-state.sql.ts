import { keyOf } from '@coffer/kit/database/aggregate-key'
import type { Queries } from '@coffer/kit/database/database'
import { FoundRow, inScope, locking } from '@coffer/kit/database/guarded-read'
import { entityOf, namesOf, recordsOf } from '@coffer/kit/database/rows'
import { prepareParts } from '@coffer/kit/database/statement'
import { type FragmentSqlToken, sql } from 'slonik'
import { BankAccount } from '../book/bank-account.ts'
import { BulkOperation } from '../book/bulk-operation.ts'
import { Envelope } from '../book/envelope.ts'
import { BookedOperation, JournalEntry } from '../book/journal.ts'
import { AccountAlias, AccountRecord, ProviderRecord } from '../book/provider-record.ts'
import { Transaction } from '../book/transaction.ts'
import { emptyState, type MoneyScope, type MoneyState, type SyncedScope } from './money-state.ts'
import { postedTransactions, syncedTransactions, tipTransactions } from './synced-rows.sql.ts'

/** Parts of the read statement that are included only if a scope needs them. */
type ScopePart =
  | 'spendingIds'
  | 'transactionIds'
  | 'operationIds'
  | 'bulkIds'
  | 'bookedIds'
  | 'refundIds'
  | 'providerIds'
  | 'postedAmounts'
  | 'tips'
  | 'refundable'
  | 'provider'
  | 'counts'

const idParts = [
  'spendingIds',
  'transactionIds',
  'operationIds',
  'bulkIds',
  'bookedIds',
  'refundIds',
] as const satisfies ScopePart[]
const syncedParts = ['providerIds', 'postedAmounts', 'tips'] as const satisfies ScopePart[]

/** Parts that are included if a list of a scope has entries. */
const listParts = [...idParts, 'providerIds', 'postedAmounts'] as const

const syncedColumns = sql.fragment`provider_ids text[], amounts bigint[], alike_from timestamptz,
      alike_to timestamptz, alike_except text, posted_amounts bigint[], posted_from timestamptz,
      posted_to timestamptz, tips_from timestamptz, tips_to timestamptz`

/**
 * Returns SQL that turns the JSON array of scopes (bank accounts with IDs to read) into rows. Only
 * with the columns of these parts, because Postgres converts each column of each row.
 */
function scopeRows(scopes: string, has: ReadonlySet<ScopePart>): FragmentSqlToken {
  const ids = idParts.filter((name) => has.has(name))
  const columns = [
    sql.fragment`account_id text, bank_account_id text`,
    ...namesOf(ids).members.map((column) => sql.fragment`${column} text[]`),
    ...(syncedParts.some((name) => has.has(name)) ? [syncedColumns] : []),
  ]
  return sql.fragment`jsonb_to_recordset(${scopes}::jsonb) AS scope(
      ${sql.join(columns, sql.fragment`, `)})`
}

/**
 * Returns a SELECT of a table's rows as JSON for each row of `source`. The type is `json`, because
 * Postgres writes it directly as text, and would build a `jsonb` first. OFFSET 0 is an optimization
 * fence: it forces index searches, where a join might scan the whole table.
 */
function lookUp(
  kind: string,
  of: { source: 'scope' | 'named'; table: string; where: FragmentSqlToken },
): FragmentSqlToken {
  const source = sql.identifier([of.source])
  return sql.fragment`
    SELECT ${sql.literalValue(kind)} AS kind, found.record FROM ${source} CROSS JOIN LATERAL (
      SELECT to_json(one) AS record FROM ${sql.identifier([of.table])} AS one
      WHERE one.account_id = ${source}.account_id
        AND one.bank_account_id = ${source}.bank_account_id AND ${of.where} OFFSET 0
    ) AS found`
}

const bankAccounts = lookUp('bankAccount', {
  source: 'scope',
  table: 'bank_accounts',
  where: sql.fragment`one.removed_at IS NULL`,
})
const envelopes = lookUp('envelope', {
  source: 'scope',
  table: 'envelopes',
  where: sql.fragment`one.spending_id = ANY(scope.spending_ids)`,
})
const operations = lookUp('operation', {
  source: 'scope',
  table: 'operations',
  where: sql.fragment`one.operation_id = ANY(scope.operation_ids)`,
})

const bulkOperations = lookUp('bulkOperation', {
  source: 'scope',
  table: 'bulk_operations',
  where: sql.fragment`one.operation_id = ANY(scope.bulk_ids)`,
})
const bookings = lookUp('booking', {
  source: 'scope',
  table: 'journal',
  where: sql.fragment`one.cause_id = ANY(scope.booked_ids)
        AND one.spending_id IS NULL AND one.cause IN ('transaction', 'deletion')`,
})

/**
 * Returns a SELECT of the amounts that transactions took from envelopes and did not give back, by
 * the causes of `isSpending`; `envelopes` selects the IDs of the envelopes.
 */
function refundableOf(envelopes: FragmentSqlToken): FragmentSqlToken {
  return sql.fragment`
    SELECT 'refundable', json_build_object('account_id', owner.account_id,
      'bank_account_id', owner.bank_account_id, 'spending_id', owner.spending_id, 'amount', (
        SELECT (-coalesce(sum(delta), 0))::text FROM journal AS one
        WHERE one.account_id = owner.account_id AND one.bank_account_id = owner.bank_account_id
          AND one.spending_id = owner.spending_id AND one.pot = 'envelope'
          AND one.cause IN ('transaction', 'deletion', 'kept', 'undo', 'refund')
      )) FROM (${envelopes}) AS owner`
}

const refundedEnvelopes = refundableOf(sql.fragment`
  SELECT scope.account_id, scope.bank_account_id, spending_id
  FROM scope CROSS JOIN LATERAL unnest(scope.refund_ids) AS spending_id`)

/**
 * The refundable amounts of the envelopes of refunds among the named transactions. A refund is a
 * deposit with an envelope, or one whose deletion has unassigned it.
 */
const envelopesOfRefunds = refundableOf(sql.fragment`
  SELECT DISTINCT one.account_id, one.bank_account_id,
    coalesce(one.spending_id, one.unassigned_by_deletion) AS spending_id
  FROM named CROSS JOIN LATERAL (
    SELECT * FROM transactions AS one
    WHERE one.account_id = named.account_id AND one.bank_account_id = named.bank_account_id
      AND one.transaction_id = named.transaction_id OFFSET 0
  ) AS one
  WHERE one.amount < 0 AND coalesce(one.spending_id, one.unassigned_by_deletion) IS NOT NULL`)

const whole = sql.fragment`true`
const providerLookUps = [
  lookUp('accountRecord', { source: 'scope', table: 'provider_accounts', where: whole }),
  lookUp('alias', { source: 'scope', table: 'provider_account_ids', where: whole }),
]

const openEnvelopes = sql.fragment`
    SELECT 'openEnvelopes', json_build_object('account_id', scope.account_id,
      'bank_account_id', scope.bank_account_id, 'count', (
        SELECT count(*) FROM envelopes AS one WHERE ${inScope} AND closed_at IS NULL
      )) FROM scope`

/** Look-ups by the IDs in the CTE `named`: transactions, their envelopes and provider records. */
const namedLookUps = [
  lookUp('transaction', {
    source: 'named',
    table: 'transactions',
    where: sql.fragment`one.transaction_id = named.transaction_id`,
  }),
  lookUp('envelope', {
    source: 'named',
    table: 'envelopes',
    where: sql.fragment`one.spending_id = (
      SELECT coalesce(spending_id, unassigned_by_deletion) FROM transactions
      WHERE transactions.account_id = named.account_id
        AND transactions.bank_account_id = named.bank_account_id
        AND transactions.transaction_id = named.transaction_id)`,
  }),
  lookUp('record', {
    source: 'named',
    table: 'provider_transactions',
    where: sql.fragment`one.transaction_id = named.transaction_id`,
  }),
]

const ownTransactions = sql.fragment`
  SELECT scope.account_id, scope.bank_account_id, transaction_id
  FROM scope CROSS JOIN LATERAL unnest(scope.transaction_ids) AS transaction_id`

const readStatement = prepareParts(['scopes'], ({ scopes }, has: ReadonlySet<ScopePart>) => {
  const names = [
    ...(has.has('transactionIds') ? [ownTransactions] : []),
    ...(has.has('providerIds') ? [syncedTransactions] : []),
    ...(has.has('postedAmounts') ? [postedTransactions] : []),
    ...(has.has('tips') ? [tipTransactions] : []),
  ]
  const union = sql.join(names, sql.fragment` UNION `)
  const named = names.length > 0 ? [sql.fragment`, named AS MATERIALIZED (${union})`] : []
  const rows = [
    [bankAccounts],
    has.has('spendingIds') ? [envelopes] : [],
    names.length > 0 ? namedLookUps : [],
    has.has('operationIds') ? [operations] : [],
    has.has('bulkIds') ? [bulkOperations] : [],
    has.has('bookedIds') ? [bookings] : [],
    has.has('refundIds') ? [refundedEnvelopes] : [],
    has.has('refundable') && names.length > 0 ? [envelopesOfRefunds] : [],
    has.has('provider') ? providerLookUps : [],
    has.has('counts') ? [openEnvelopes] : [],
  ]
  return sql.type(FoundRow)`
    WITH ${sql.join(
      [sql.fragment`scope AS MATERIALIZED (SELECT * FROM ${scopeRows(scopes, has)})`, ...named],
      sql.fragment``,
    )}
    ${sql.join(rows.flat(), sql.fragment` UNION ALL `)}`
})

/**
 * Reads the rows that scopes name, in one snapshot. Returns them by the key of the bank account
 * (`keyOf`); a bank account that is missing or whose link is deleted has no entry.
 */
export async function readMoney(
  connection: Queries,
  scopes: readonly MoneyScope[],
): Promise<Map<string, MoneyState>> {
  const merged = [...Map.groupBy(scopes, keyOf).values()].map(mergedScope)
  const asked: ScopePart[] = listParts.filter((name) => merged.some((one) => one[name].length > 0))
  if (scopes.some(({ readsRefundable }) => readsRefundable)) asked.push('refundable')
  if (scopes.some(({ synced }) => synced?.tips)) asked.push('tips')
  if (scopes.some(({ readsProvider }) => readsProvider)) asked.push('provider')
  if (scopes.some(({ countsEnvelopes }) => countsEnvelopes)) asked.push('counts')
  const rows = await connection.any(readStatement({ scopes: recordsOf(merged) }, asked))
  const accounts = rows.filter(({ kind }) => kind === 'bankAccount')
  const states = new Map(
    accounts.map(({ record }): [string, MoneyState] => {
      const bankAccount = entityOf(BankAccount, record)
      const timezone = record.dates_timezone as string | null
      return [keyOf(bankAccount), emptyState(bankAccount, timezone)]
    }),
  )
  for (const { kind, record, key } of rows) {
    const state = states.get(key)
    if (kind === 'envelope') state?.envelopes.push(entityOf(Envelope, record))
    else if (kind === 'transaction') state?.transactions.push(entityOf(Transaction, record))
    else if (kind === 'record') state?.records.push(entityOf(ProviderRecord, record))
    else if (kind === 'alias') state?.aliases.push(entityOf(AccountAlias, record))
    else if (kind === 'accountRecord' && state)
      state.accountRecord = entityOf(AccountRecord, record)
    else if (kind === 'refundable')
      state?.refundable.set(String(record.spending_id), BigInt(String(record.amount)))
    else if (kind === 'openEnvelopes' && state) state.openEnvelopes = Number(record.count)
    else if (kind === 'bulkOperation') state?.bulkOperations.push(entityOf(BulkOperation, record))
    else if (kind === 'operation') state?.operations.push(entityOf(BookedOperation, record))
  }
  const booked = rows.filter(({ kind }) => kind === 'booking')
  const byEntry = booked.toSorted((a, b) => Number(a.record.entry_id) - Number(b.record.entry_id))
  for (const { record, key } of byEntry) {
    states.get(key)?.bookings.push(entityOf(JournalEntry, record))
  }
  return states
}

function mergedScope(scopes: readonly MoneyScope[]) {
  const distinct = (ids: readonly string[]) => [...new Set(ids)]
  const [first] = scopes
  // A sync never shares a read with other changes, so at most one scope has `synced`.
  const synced = scopes.find((scope) => scope.synced)?.synced
  return {
    accountId: first?.accountId,
    bankAccountId: first?.bankAccountId,
    spendingIds: distinct(scopes.flatMap(({ spendingIds = [] }) => spendingIds)),
    transactionIds: distinct(
      scopes.flatMap((scope) => [
        ...transactionIdsOf(scope),
        ...(scope.otherTransactionId ? [scope.otherTransactionId] : []),
      ]),
    ),
    bookedIds: distinct(
      scopes.flatMap((scope) => (scope.readsBookings ? transactionIdsOf(scope) : [])),
    ),
    refundIds: distinct(scopes.flatMap(({ refundIds = [] }) => refundIds)),
    bulkIds: distinct(scopes.flatMap(({ bulkOperationId }) => bulkOperationId ?? [])),
    operationIds: distinct(scopes.flatMap(({ operationId }) => operationId ?? [])),
    providerIds: distinct(synced?.providerIds ?? []),
    amounts: (synced?.alike?.amounts ?? []).map(Number),
    alikeFrom: synced?.alike?.from,
    alikeTo: synced?.alike?.to,
    alikeExcept: synced?.alike?.providerAccountId,
    postedAmounts: (synced?.posted?.amounts ?? []).map(Number),
    postedFrom: synced?.posted?.from,
    postedTo: synced?.posted?.to,
    ...tipDays(synced?.tips),
  }
}

function transactionIdsOf({ transactionId, transactionIds = [] }: MoneyScope): readonly string[] {
  return transactionId === undefined ? transactionIds : [transactionId, ...transactionIds]
}

function tipDays(tips: SyncedScope['tips'] = null) {
  return tips === null || tips === 'removed' ? {} : { tipsFrom: tips.from, tipsTo: tips.to }
}

/** Locks bank accounts in key order (prevents deadlocks); rows must be read after the lock. */
export const lockMoney = locking('bank_accounts')
