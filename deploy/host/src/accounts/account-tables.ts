// Tables of the infrastructure, without data of the account.
const ownTables = ['changes', 'change_sequences', 'idempotency_keys', 'deleted_accounts']

// Columns that are never shown: credentials of the user, and keys to providers, sealed or not.
const hiddenColumns = /(^key_id|_key|_hash|_token|_secret|password|ciphertext)$/

/** A column of a table, from the system catalog of Postgres. */
export interface Column {
  table: string
  column: string
  /** Name of the type from `format_type`. */
  type: string
  /** Position in the primary key, from 1; null for other columns. */
  keyPosition: number | null
}

/** A table that is part of the copy of an account. */
export interface ShownTable {
  table: string
  /** Shown columns, in the order of the table. */
  columns: Column[]
  /** Columns of the primary key without the account ID. */
  key: Column[]
}

/**
 * Returns the tables that are part of the copy of an account, ordered by name. Omits columns of
 * type bytea, which are hashes or sealed, and the columns in `hidden` (`table.column`).
 */
export function shownTables(columns: readonly Column[], hidden: readonly string[]): ShownTable[] {
  const tables = [...new Set(columns.map(({ table }) => table))].sort()
  return tables
    .filter((table) => !ownTables.includes(table))
    .map((table) => {
      const all = columns.filter((column) => column.table === table)
      const key = all.filter(({ keyPosition, column }) => keyPosition && column !== 'account_id')
      return {
        table,
        columns: all.filter(({ column, type }) => {
          const isHidden = hiddenColumns.test(column) || hidden.includes(`${table}.${column}`)
          return !isHidden && type !== 'bytea'
        }),
        key: key.toSorted((one, other) => Number(one.keyPosition) - Number(other.keyPosition)),
      }
    })
}

/** Returns the JSON name of a table or column. */
export function camelCase(name: string): string {
  return name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())
}
