/** A table and one that it refers to. */
export interface Reference {
  from: string
  to: string
}

/** Tables in an order in which each comes before all it refers to; a table may refer to itself. */
export function referringFirst(
  tables: readonly string[],
  references: readonly Reference[],
): string[] {
  const left = new Set(tables)
  const ordered: string[] = []
  const isFree = (table: string) =>
    !references.some(({ from, to }) => to === table && from !== table && left.has(from))
  while (left.size > 0) {
    const free = [...left].filter(isFree)
    if (free.length === 0) throw new Error(`tables refer to each other: ${[...left].join(', ')}`)
    for (const table of free) left.delete(table)
    ordered.push(...free)
  }
  return ordered
}

// Not an account's data: what is published of it, and what the mesh keeps to do things once.
const ownTables = ['changes', 'change_sequences', 'idempotency_keys', 'deleted_accounts']

// Never shown: what proves who somebody is or opens their account elsewhere, sealed or not.
const hiddenColumns = /(^key_id|_key|_hash|_token|_secret|password|ciphertext)$/

/** A column as Postgres describes it. */
export interface Column {
  table: string
  column: string
  /** As `format_type` gives it. */
  type: string
  /** Its place in the primary key, from 1; null outside. */
  keyPosition: number | null
}

/** A table of which an account gets a copy. */
export interface ShownTable {
  table: string
  /** Columns that are shown, in their order. */
  columns: Column[]
  /** The rest of the primary key after the account. */
  key: Column[]
}

/**
 * The tables of which an account gets a copy, by name. Bytes are hashes or sealed and never shown,
 * nor are the columns in `hidden` (`table.column`).
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

/** The name of a table or column in JSON. */
export function camelCase(name: string): string {
  return name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())
}
