import { inKeyOrder, keyOf } from '@coffer/kit/database/aggregate-key'
import type { Locked } from '@coffer/kit/database/aggregate-store'
import type { Queries, Transaction as Tx } from '@coffer/kit/database/database'
import {
  guardedDelete,
  guardedInsert,
  guardedRows,
  guardedUpdate,
  type InsertPart,
  keyFields,
  replacedRow,
  replyPart,
  SavedRow,
  skipping,
} from '@coffer/kit/database/guarded-save'
import { recordsOf, rowAssignments } from '@coffer/kit/database/rows'
import { prepareParts } from '@coffer/kit/database/statement'
import { Change } from '@coffer/kit/events/changes'
import { type FragmentSqlToken, sql } from 'slonik'
import { BankAccount } from '../book/bank-account.ts'
import { BulkOperation } from '../book/bulk-operation.ts'
import { Envelope } from '../book/envelope.ts'
import { BookedOperation, JournalEntry } from '../book/journal.ts'
import { AccountAlias, AccountRecord, ProviderRecord } from '../book/provider-record.ts'
import { Transaction } from '../book/transaction.ts'
import type { ChangeSet } from './unit-of-work.ts'

/** The rows to save for one bank account, with events for the outbox. */
export type MoneySave = ChangeSet & { changes: readonly Change[] }

const insertParts = {
  entries: { table: 'journal', entity: JournalEntry },
  created: { table: 'envelopes', entity: Envelope },
  inserted: { table: 'transactions', entity: Transaction },
  changes: { table: 'changes', entity: Change },
  replies: replyPart,
  operations: { table: 'operations', entity: BookedOperation },
} satisfies Record<string, InsertPart>

const insertNames = Object.keys(insertParts) as (keyof typeof insertParts)[]
const changingNames = [
  'envelopes',
  'updated',
  'deleted',
  'records',
  'accountRecords',
  'aliases',
  'bulkOperations',
] as const
/** Parts of a change set that list IDs, not rows; they are saved with `writeIn` alone. */
const clearingNames = ['closed', 'forgotten'] as const
const partNames = [...insertNames, ...changingNames, ...clearingNames]
type PartName = (typeof partNames)[number]

const bankAccountPart = { table: 'bank_accounts', entity: BankAccount }
const recordPart = { table: 'provider_transactions', entity: ProviderRecord }
const accountPart = { table: 'provider_accounts', entity: AccountRecord }
const aliasPart = { table: 'provider_account_ids', entity: AccountAlias }
const bulkPart = { table: 'bulk_operations', entity: BulkOperation }
const recordKey = [...keyFields, 'providerTransactionId']
const envelopePart = { table: 'envelopes', entity: Envelope, id: 'spendingId' }
const transactionPart = { table: 'transactions', entity: Transaction, id: 'transactionId' }

const changingParts: Record<Exclude<PartName, keyof typeof insertParts>, FragmentSqlToken> = {
  envelopes: guardedUpdate(envelopePart, 'envelopes'),
  updated: guardedUpdate(transactionPart, 'updated'),
  deleted: guardedDelete(transactionPart, 'deleted'),
  records: sql.fragment`
    ${guardedInsert(recordPart, 'records')}
    ON CONFLICT (account_id, bank_account_id, provider_transaction_id) DO UPDATE
    SET ${rowAssignments(ProviderRecord, recordKey, 'excluded')}`,
  accountRecords: sql.fragment`
    ${guardedInsert(accountPart, 'accountRecords')}
    ON CONFLICT (account_id, bank_account_id) DO UPDATE
    SET ${rowAssignments(AccountRecord, keyFields, 'excluded')}`,
  // On conflict the alias moves to the bank account that the sync has matched.
  aliases: sql.fragment`
    ${guardedInsert(aliasPart, 'aliases')}
    ON CONFLICT (account_id, link_id, provider_account_id) DO UPDATE
    SET bank_account_id = excluded.bank_account_id, is_current = excluded.is_current`,
  // An operation that is stored already is saved again only by its undo.
  bulkOperations: sql.fragment`
    ${guardedInsert(bulkPart, 'bulkOperations')}
    ON CONFLICT (account_id, operation_id) DO UPDATE SET undone_at = excluded.undone_at`,
  closed: clearing({
    part: 'closed',
    names: ['spending_id', 'created_by_spending_id'],
    assignments: sql.fragment`
      spending_id = CASE WHEN spending_id = ANY(gone.ids) THEN NULL ELSE spending_id END,
      spending_amount = CASE WHEN spending_id = ANY(gone.ids) THEN NULL ELSE spending_amount END,
      refund_amount = CASE WHEN spending_id = ANY(gone.ids) THEN NULL ELSE refund_amount END,
      created_by_spending_id = CASE WHEN created_by_spending_id = ANY(gone.ids) THEN NULL
        ELSE created_by_spending_id END`,
  }),
  forgotten: clearing({
    part: 'forgotten',
    names: ['created_by_funding_schedule_id'],
    assignments: sql.fragment`created_by_funding_schedule_id = NULL`,
  }),
}

/**
 * Returns SQL that sets references to closed envelopes or deleted funding schedules to NULL in
 * transactions. It collects IDs first: with a join, the planner may scan all transactions.
 */
function clearing(of: {
  part: (typeof clearingNames)[number]
  names: string[]
  assignments: FragmentSqlToken
}): FragmentSqlToken {
  const ids = sql.identifier(['guard', of.part])
  const having = of.names.map(
    (name) => sql.fragment`
        SELECT transaction_id FROM transactions
        WHERE transactions.account_id = guard.account_id
          AND transactions.bank_account_id = guard.bank_account_id
          AND ${sql.identifier(['transactions', name])} = ANY(${ids})`,
  )
  return sql.fragment`
    UPDATE transactions SET ${of.assignments}
    FROM (
      SELECT account_id, bank_account_id, ${ids} AS ids,
        ARRAY(${sql.join(having, sql.fragment` UNION ALL `)}) AS transaction_ids
      FROM guard LIMIT 1
    ) AS gone
    WHERE transactions.account_id = gone.account_id
      AND transactions.bank_account_id = gone.bank_account_id
      AND transactions.transaction_id = ANY(gone.transaction_ids)`
}

type StatementPart = PartName | 'skipsLocked'

const nothing = sql.fragment``

/** Returns SQL that expands a JSON array, one object for each bank account, into rows. */
function documentRows(changeSets: string): FragmentSqlToken {
  return sql.fragment`jsonb_to_recordset(${changeSets}::jsonb) AS new(
        account_id text, bank_account_id text, read_version bigint, bank_account jsonb,
        entries jsonb, created jsonb, inserted jsonb, changes jsonb, replies jsonb,
        operations jsonb, envelopes jsonb, updated jsonb, deleted jsonb, records jsonb,
        "accountRecords" jsonb, aliases jsonb, "bulkOperations" jsonb, closed text[],
        forgotten text[])`
}

function partsOf(has: ReadonlySet<StatementPart>): FragmentSqlToken {
  const parts = partNames
    .filter((name) => has.has(name))
    .map((name) => {
      const text =
        name in insertParts
          ? guardedInsert(insertParts[name as keyof typeof insertParts], name)
          : changingParts[name as keyof typeof changingParts]
      return sql.fragment`, ${sql.identifier([`saved_${name}`])} AS (${text})`
    })
  return parts.length > 0 ? sql.fragment`${sql.join(parts, nothing)}` : nothing
}

/**
 * Compare-and-set on `version`: the CTE `guard` locks the bank accounts that still have the version
 * that was read; the CTE of each part joins `guard`. After a lock wait, READ COMMITTED checks the
 * version again and skips a changed row. `unsearched_from` (the first change since the last search
 * for similar transactions) keeps its oldest value: an update that leaves this indexed column
 * unchanged is HOT, so it writes no index.
 */
const saveStatement = prepareParts(
  ['changeSets'],
  ({ changeSets }, has: ReadonlySet<StatementPart>) => sql.type(SavedRow)`
    WITH guard AS MATERIALIZED (
      SELECT new.* FROM ${documentRows(changeSets)}
      CROSS JOIN LATERAL (
        SELECT 1 FROM bank_accounts AS owner
        WHERE owner.account_id = new.account_id AND owner.bank_account_id = new.bank_account_id
          AND owner.version = new.read_version
        LIMIT 1 FOR NO KEY UPDATE ${skipping(has.has('skipsLocked'))}
      ) AS unchanged
    )${partsOf(has)}
    UPDATE bank_accounts SET ${rowAssignments(BankAccount, keyFields)},
      unsearched_from = coalesce(bank_accounts.unsearched_from, new.unsearched_from)
    FROM ${guardedRows('bank_account', 'bank_accounts')}
    WHERE ${replacedRow('bank_accounts')}
    RETURNING bank_accounts.account_id AS "accountId",
      bank_accounts.bank_account_id AS "bankAccountId"`,
)

/**
 * Saves change sets in one statement, each only if its bank account still has `readVersion`. One
 * JSON parameter carries all rows, so a prepared statement serves any number. `locked` decides
 * whether to wait for a locked bank account or to skip it. Returns the keys of the saved ones.
 */
export async function saveMoney(
  connection: Queries,
  saves: readonly MoneySave[],
  locked: Locked,
): Promise<Set<string>> {
  const { changeSets, filled } = documentsOf(saves)
  const parts = locked === 'skip' ? (['skipsLocked', ...filled] as const) : filled
  const saved = await connection.any(saveStatement({ changeSets }, parts))
  return new Set(saved.map(keyOf))
}

const createStatement = prepareParts(
  ['changeSets'],
  ({ changeSets }, has: ReadonlySet<PartName>) => sql.unsafe`
    WITH guard AS MATERIALIZED (SELECT new.* FROM ${documentRows(changeSets)})${partsOf(has)}
    ${guardedInsert(bankAccountPart, 'bank_account')}`,
)

/** Inserts new bank accounts with their rows. The transaction must hold their link `FOR SHARE`. */
export async function createMoney(tx: Tx, saves: readonly MoneySave[]): Promise<void> {
  const { changeSets, filled } = documentsOf(saves)
  await tx.query(createStatement({ changeSets }, filled))
}

/** Returns the JSON of change sets in key order (prevents deadlocks), and its non-empty parts. */
function documentsOf(saves: readonly MoneySave[]) {
  const filled = partNames.filter((name) => saves.some((save) => save[name].length > 0))
  // `clearing` reads one row of `guard`.
  if (saves.length > 1 && clearingNames.some((name) => filled.includes(name))) {
    throw new Error('references are cleared in one bank account at a time: use writeIn')
  }
  const ordered = inKeyOrder(saves, ({ bankAccount }) => bankAccount)
  const documents = ordered.map((save) => documentOf(save, filled))
  return { changeSets: `[${documents.join(',')}]`, filled }
}

function documentOf(save: MoneySave, filled: readonly PartName[]): string {
  const { accountId, bankAccountId, version } = save.bankAccount
  const mark = save.changesTexts ? { unsearchedFrom: version } : {}
  const parts = filled.map((name) => {
    const isNamed = name === 'closed' || name === 'forgotten'
    const rows = isNamed ? JSON.stringify(save[name]) : recordsOf(save[name])
    return `,"${name}":${rows}`
  })
  return `{"account_id":${JSON.stringify(accountId)},
    "bank_account_id":${JSON.stringify(bankAccountId)},
    "read_version":${save.readVersion},
    "bank_account":${recordsOf([{ ...save.bankAccount, ...mark }])}${parts.join('')}}`
}
