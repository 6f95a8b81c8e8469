import type { Database, Transaction as Tx } from '@coffer/kit/database'
import { columnNames, columnsOf, recordsOf } from '@coffer/kit/rows'
import { prepare } from '@coffer/kit/statement'
import { type FragmentSqlToken, sql } from 'slonik'
import { z } from 'zod'
import { BankAccount } from './bank-account.ts'
import { joined, nullable, part } from './joined.ts'
import { JournalEntry } from './journal.ts'
import type { LinkKey } from './link.ts'
import { AccountAlias, AccountRecord, type SyncedAccount } from './provider-account.ts'
import type { AccountChanges } from './sync-accounts.ts'

const SyncedRow = z.object({
  ...BankAccount.shape,
  ...nullable(AccountRecord.shape, 'record.'),
  ...nullable(AccountAlias.shape, 'alias.'),
})

function selectSynced({ accountId, linkId }: LinkKey, locking: FragmentSqlToken = sql.fragment``) {
  return sql.type(SyncedRow)`
    SELECT ${columnsOf(BankAccount, { table: 'bank_accounts' })},
      ${columnsOf(AccountRecord, { table: 'record', prefix: 'record.' })},
      ${columnsOf(AccountAlias, { table: 'alias', prefix: 'alias.' })}
    FROM bank_accounts
    LEFT JOIN provider_accounts AS record ON record.account_id = ${accountId}
      AND record.bank_account_id = bank_accounts.bank_account_id
    LEFT JOIN provider_account_ids AS alias ON alias.account_id = ${accountId}
      AND alias.bank_account_id = bank_accounts.bank_account_id
    WHERE bank_accounts.account_id = ${accountId} AND bank_accounts.link_id = ${linkId}
      AND removed_at IS NULL
    ORDER BY bank_accounts.bank_account_id ${locking}`
}

/** Bank accounts of a link with what their provider said, archived ones included, by ID. */
export async function listSynced({ pool }: Database, link: LinkKey): Promise<SyncedAccount[]> {
  return syncedOf(await pool.any(selectSynced(link)))
}

/** The same, under their money locks; the link must be locked, as upserts of it take turns. */
export async function lockSynced(tx: Tx, link: LinkKey): Promise<SyncedAccount[]> {
  const locking = sql.fragment`FOR NO KEY UPDATE OF bank_accounts`
  return syncedOf(await tx.any(selectSynced(link, locking)))
}

function syncedOf(rows: readonly z.infer<typeof SyncedRow>[]): SyncedAccount[] {
  const found = new Map<string, SyncedAccount & { aliases: AccountAlias[] }>()
  for (const row of rows) {
    const bankAccount = part(BankAccount, row, '')
    const { bankAccountId } = bankAccount
    const record = joined(AccountRecord, row, 'record.')
    const synced = found.get(bankAccountId) ?? { bankAccount, record, aliases: [] }
    found.set(bankAccountId, synced)
    synced.aliases.push(...[joined(AccountAlias, row, 'alias.') ?? []].flat())
  }
  return [...found.values()]
}

/** Rows of a table out of their JSON. */
function records(table: string, json: string): FragmentSqlToken {
  return sql.fragment`jsonb_populate_recordset(NULL::${sql.identifier([table])}, ${json}::jsonb)`
}

const saveStatement = prepare(
  ['accountId', 'inserted', 'updated', 'entries', 'records', 'aliases'],
  (row) => sql.unsafe`
    WITH inserted AS (
      INSERT INTO bank_accounts (${columnNames(BankAccount)})
      SELECT ${columnNames(BankAccount)} FROM ${records('bank_accounts', row.inserted)}
    ), updated AS (
      UPDATE bank_accounts SET original_name = new.original_name, status = new.status,
        available_balance = new.available_balance, current_balance = new.current_balance,
        limit_balance = new.limit_balance, balances_as_of = new.balances_as_of,
        last_updated = new.last_updated, updated_at = new.updated_at,
        version = new.version
      FROM ${records('bank_accounts', row.updated)} AS new
      WHERE bank_accounts.account_id = ${row.accountId}
        AND bank_accounts.bank_account_id = new.bank_account_id
    ), booked AS (
      INSERT INTO journal (${columnNames(JournalEntry)})
      SELECT ${columnNames(JournalEntry)} FROM ${records('journal', row.entries)}
    ), recorded AS (
      INSERT INTO provider_accounts (${columnNames(AccountRecord)})
      SELECT ${columnNames(AccountRecord)} FROM ${records('provider_accounts', row.records)}
      ON CONFLICT (account_id, bank_account_id) DO UPDATE SET
        name = excluded.name, official_name = excluded.official_name, mask = excluded.mask,
        currency = excluded.currency, account_type = excluded.account_type,
        account_sub_type = excluded.account_sub_type,
        available_balance = excluded.available_balance,
        current_balance = excluded.current_balance, limit_balance = excluded.limit_balance,
        raw = excluded.raw, updated_at = excluded.updated_at
    )
    INSERT INTO provider_account_ids (${columnNames(AccountAlias)})
    SELECT ${columnNames(AccountAlias)} FROM ${records('provider_account_ids', row.aliases)}
    ON CONFLICT (account_id, link_id, provider_account_id) DO UPDATE SET
      bank_account_id = excluded.bank_account_id, is_current = excluded.is_current`,
)

/** Saves what a provider's list has changed, in one statement. */
export async function saveAccounts(
  tx: Tx,
  { accountId, ...changes }: AccountChanges & { accountId: string },
): Promise<void> {
  const rows = Object.entries(changes).map(([name, entities]) => [name, recordsOf(entities)])
  await tx.query(saveStatement({ accountId, ...Object.fromEntries(rows) }))
}

/** The provider's records of bank accounts, by their IDs. */
export async function findAccountRecords(
  { pool }: Database,
  accountId: string,
  bankAccountIds: readonly string[],
): Promise<Map<string, AccountRecord>> {
  const found = await pool.any(sql.type(AccountRecord)`
    SELECT ${columnsOf(AccountRecord, { table: 'provider_accounts' })} FROM provider_accounts
    WHERE account_id = ${accountId}
      AND bank_account_id = ANY(${sql.array([...bankAccountIds], 'text')})`)
  return new Map(found.map((record) => [record.bankAccountId, record]))
}
