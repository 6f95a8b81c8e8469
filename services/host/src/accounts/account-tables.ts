// Infrastructure tables, which the export of an account omits.
const ownTables = [
  'changes',
  // until 0.5: unused in this version, but a relay of 0.3 still writes it.
  'change_sequences',
  'idempotency_keys',
  'deleted_accounts',
  'request_budgets',
  'feeds',
  'feed_events',
]

// Columns that the export omits: passwords, hashes, and keys or tokens, encrypted or not.
const hiddenColumns = /(^key_id|_key|_hash|_token|_secret|password|ciphertext)$/

/** A column of a table, read from Postgres's system catalog. */
export interface Column {
  table: string
  column: string
  /** Postgres type, as from `format_type`: `timestamp with time zone`. */
  type: string
  /** Position in the primary key, from 1; null for a column outside it. */
  keyPosition: number | null
}

/** A table whose rows the export of an account contains. */
export interface ShownTable {
  table: string
  /** The exported columns, in the order of the table. */
  columns: Column[]
  /** Primary key without the column `account_id`. */
  key: Column[]
}

/**
 * Returns the tables of an account's export, ordered by name. Omits columns of type bytea (hashes
 * or encrypted) and the columns in `hidden` (`table.column`).
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

/** Converts snake_case to camelCase. */
export function camelCase(name: string): string {
  return name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())
}
