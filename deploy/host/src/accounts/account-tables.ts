// Tables of the infrastructure, which hold no data of the account.
const ownTables = ['changes', 'change_sequences', 'idempotency_keys', 'deleted_accounts']

// Never shown, sealed or not: credentials of the user, and keys to other providers.
const hiddenColumns = /(^key_id|_key|_hash|_token|_secret|password|ciphertext)$/

/** A column as Postgres describes it. */
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
  /** Shown columns, in table order. */
  columns: Column[]
  /** Columns of the primary key without the account ID. */
  key: Column[]
}

/**
 * The tables that are part of the copy of an account, by name. Columns of type bytea are hashes or
 * sealed and never shown; neither are the columns in `hidden` (`table.column`).
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

/** The JSON name of a table or column. */
export function camelCase(name: string): string {
  return name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())
}
