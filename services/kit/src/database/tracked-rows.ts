/** Change tracking: the rows of one table as read, and as they are after the decisions so far. */
export interface TrackedRows<Row> {
  idOf: (row: Row) => string
  read: ReadonlyMap<string, Row>
  current: Map<string, Row>
}

/** Starts change tracking of rows that were just read; `idOf` returns the ID of a row. */
export function track<Row>(rows: readonly Row[], idOf: (row: Row) => string): TrackedRows<Row> {
  const read = new Map(rows.map((row) => [idOf(row), row]))
  return { idOf, read, current: new Map(read) }
}

/** Adds rows; a row replaces the tracked row with the same ID. */
export function put<Row>(tracked: TrackedRows<Row>, rows: readonly Row[] = []): void {
  for (const row of rows) tracked.current.set(tracked.idOf(row), row)
}

/** Removes rows by ID. */
export function remove<Row>(tracked: TrackedRows<Row>, rows: readonly Row[] = []): void {
  for (const row of rows) tracked.current.delete(tracked.idOf(row))
}

/** Returns the rows to insert, update and delete. A replaced object counts as an update. */
export function changedRows<Row>({ read, current }: TrackedRows<Row>): {
  created: Row[]
  changed: Row[]
  deleted: Row[]
} {
  const after = [...current]
  return {
    created: after.flatMap(([id, row]) => (read.has(id) ? [] : row)),
    changed: after.flatMap(([id, row]) => (read.has(id) && read.get(id) !== row ? row : [])),
    deleted: [...read].flatMap(([id, row]) => (current.has(id) ? [] : row)),
  }
}
