import { sql } from 'slonik'
import { z } from 'zod'
import type { Database, Transaction } from '../database/database.ts'
import { deleteSome } from '../database/rows.ts'
import { type Reference, referringFirst } from './table-order.ts'

const rowsPerStatement = 1_000
const statementsMax = 200

const Table = z.object({ table: z.string() })
const Edge = z.object({ from: z.string(), to: z.string() })

/** Marks an account as deleted; handlers ignore its messages that arrive later. */
export async function markDeleted(
  { pool }: Pick<Database, 'pool'> | { pool: Transaction },
  accountId: string,
): Promise<void> {
  await pool.query(sql.unsafe`
    INSERT INTO deleted_accounts (account_id) VALUES (${accountId}) ON CONFLICT DO NOTHING`)
}

/**
 * Deletes a batch of an account's rows from each table with an `account_id`, except the tables in
 * `keep`. Reads the tables from the database schema and deletes referring rows first.
 * @returns true when no row is left; otherwise the caller must call it again
 */
export async function removeRowsOfAccount(
  database: Database,
  accountId: string,
  { keep = [] }: { keep?: readonly string[] } = {},
): Promise<boolean> {
  const kept = ['deleted_accounts', ...keep]
  const tables = (await tablesOfAccounts(database)).filter((table) => !kept.includes(table))
  const where = sql.fragment`account_id = ${accountId}`
  let statements = 0
  for (const table of tables) {
    let rowCount = rowsPerStatement
    while (rowCount === rowsPerStatement) {
      if (statements === statementsMax) return false
      rowCount = await deleteSome(database, { table, where, limit: rowsPerStatement })
      statements += 1
    }
  }
  return true
}

async function tablesOfAccounts({ pool }: Database): Promise<string[]> {
  const tables = await pool.anyFirst(sql.type(Table)`
    SELECT relname::text AS "table" FROM pg_class
    JOIN pg_attribute ON attrelid = pg_class.oid AND attname = 'account_id' AND NOT attisdropped
    WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'p')
      AND NOT relispartition
    ORDER BY relname`)
  const references: readonly Reference[] = await pool.any(sql.type(Edge)`
    SELECT referring.relname::text AS "from", referred.relname::text AS "to"
    FROM pg_constraint
    JOIN pg_class AS referring ON referring.oid = conrelid
    JOIN pg_class AS referred ON referred.oid = confrelid
    WHERE contype = 'f' AND connamespace = current_schema()::regnamespace`)
  return referringFirst(tables, references)
}
