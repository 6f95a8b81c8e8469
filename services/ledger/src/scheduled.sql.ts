import type { Database } from '@coffer/kit/database'
import { columnsOf } from '@coffer/kit/rows'
import { prepare } from '@coffer/kit/statement'
import { type CommonQueryMethods, type FragmentSqlToken, sql } from 'slonik'
import { z } from 'zod'
import { BankAccount } from './bank-account.ts'
import type { BankAccountKey } from './cluster.sql.ts'
import { Envelope } from './envelope.ts'
import { findOperations, type KeptOperation, type OperationKey } from './operation.sql.ts'

// Rows of many accounts, each found by its whole key: the limit in a lateral keeps every row a
// search of its own, in the order of the keys, so that locks are taken in one order by everybody.

type EnvelopeKey = Pick<Envelope, 'accountId' | 'bankAccountId' | 'spendingId'>

/** Which rows operations are about, each once, in the order in which they are locked. */
export interface ScheduledScope {
  bankAccounts: readonly BankAccountKey[]
  envelopes: readonly EnvelopeKey[]
  operations: readonly OperationKey[]
}

const Seen = z.object({ seen: z.string() })
const SeenBankAccount = BankAccount.extend(Seen.shape)
const SeenEnvelope = Envelope.extend(Seen.shape)

/** The newest version of the rows of a scope; `seen` names it. */
export interface SeenRows {
  bankAccounts: readonly z.infer<typeof SeenBankAccount>[]
  envelopes: readonly z.infer<typeof SeenEnvelope>[]
  operations: readonly KeptOperation[]
}

const locking = sql.fragment`FOR NO KEY UPDATE`
const accountNames = ['accountIds', 'bankAccountIds'] as const
const envelopeNames = [...accountNames, 'spendingIds'] as const

const readAccounts = prepare(accountNames, (keys) => accountsOf(keys, sql.fragment``))
const lockAccounts = prepare(accountNames, (keys) => accountsOf(keys, locking))
const readEnvelopes = prepare(envelopeNames, (keys) => envelopesOf(keys, sql.fragment``))
const lockEnvelopes = prepare(envelopeNames, (keys) => envelopesOf(keys, locking))

function accountsOf(
  { accountIds, bankAccountIds }: Record<(typeof accountNames)[number], string>,
  lock: FragmentSqlToken,
) {
  return sql.type(SeenBankAccount)`
    SELECT ${columnsOf(BankAccount, { table: 'found' })}, found.seen
    FROM unnest(${accountIds}::text[], ${bankAccountIds}::text[])
      AS wanted (account_id, bank_account_id)
    CROSS JOIN LATERAL (
      SELECT *, xmin::text AS seen FROM bank_accounts AS owner
      WHERE owner.account_id = wanted.account_id
        AND owner.bank_account_id = wanted.bank_account_id AND removed_at IS NULL
      LIMIT 1 ${lock}
    ) AS found`
}

function envelopesOf(
  { accountIds, bankAccountIds, spendingIds }: Record<(typeof envelopeNames)[number], string>,
  lock: FragmentSqlToken,
) {
  return sql.type(SeenEnvelope)`
    SELECT ${columnsOf(Envelope, { table: 'found' })}, found.seen
    FROM unnest(${accountIds}::text[], ${bankAccountIds}::text[], ${spendingIds}::text[])
      AS wanted (account_id, bank_account_id, spending_id)
    CROSS JOIN LATERAL (
      SELECT *, xmin::text AS seen FROM envelopes AS held
      WHERE held.account_id = wanted.account_id
        AND held.bank_account_id = wanted.bank_account_id
        AND held.spending_id = wanted.spending_id
      LIMIT 1 ${lock}
    ) AS found`
}

/**
 * The rows as they are; with `isLocking`, in a transaction, under the money lock of each bank
 * account. What was booked is read last, so that nobody books between the lock and it.
 */
export async function readScheduled(
  connection: CommonQueryMethods,
  scope: ScheduledScope,
  { isLocking }: { isLocking: boolean },
): Promise<SeenRows> {
  const accounts = isLocking ? lockAccounts : readAccounts
  const envelopes = isLocking ? lockEnvelopes : readEnvelopes
  return {
    bankAccounts: await connection.any(accounts(keysOf(scope.bankAccounts))),
    envelopes: await connection.any(
      envelopes({
        ...keysOf(scope.envelopes),
        spendingIds: scope.envelopes.map(({ spendingId }) => spendingId),
      }),
    ),
    operations: await findOperations(connection, scope.operations),
  }
}

const openEnvelopes = prepare(
  accountNames,
  ({ accountIds, bankAccountIds }) => sql.type(Envelope)`
    SELECT ${columnsOf(Envelope, { table: 'found' })}
    FROM unnest(${accountIds}::text[], ${bankAccountIds}::text[])
      AS wanted (account_id, bank_account_id)
    CROSS JOIN LATERAL (
      SELECT * FROM envelopes AS held
      WHERE held.account_id = wanted.account_id
        AND held.bank_account_id = wanted.bank_account_id AND closed_at IS NULL
      ORDER BY spending_id OFFSET 0
    ) AS found`,
)

/** Bank accounts whose link is not deleted, archived or not, and their open envelopes. */
export async function lookUpScheduled(
  { pool }: Database,
  keys: readonly BankAccountKey[],
): Promise<{ bankAccounts: readonly BankAccount[]; envelopes: readonly Envelope[] }> {
  return {
    bankAccounts: await pool.any(readAccounts(keysOf(keys))),
    envelopes: await pool.any(openEnvelopes(keysOf(keys))),
  }
}

function keysOf(keys: readonly BankAccountKey[]) {
  return {
    accountIds: keys.map(({ accountId }) => accountId),
    bankAccountIds: keys.map(({ bankAccountId }) => bankAccountId),
  }
}
