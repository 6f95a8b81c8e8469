/** Change tracking of a unit of work: the rows of one table as read, and after decisions. */
export interface TrackedRows<Row> {
  idOf: (row: Row) => string
  read: ReadonlyMap<string, Row>
  current: Map<string, Row>
}

/** Tracks rows from the state in which they were read. */
export function track<Row>(rows: readonly Row[], idOf: (row: Row) => string): TrackedRows<Row> {
  const read = new Map(rows.map((row) => [idOf(row), row]))
  return { idOf, read, current: new Map(read) }
}

/** Adds rows; each replaces the row with its ID. */
export function put<Row>(tracked: TrackedRows<Row>, rows: readonly Row[] = []): void {
  for (const row of rows) tracked.current.set(tracked.idOf(row), row)
}

/** Removes rows by their ID. */
export function remove<Row>(tracked: TrackedRows<Row>, rows: readonly Row[] = []): void {
  for (const row of rows) tracked.current.delete(tracked.idOf(row))
}

/** Returns the rows to insert, update and delete. A row is changed if it is another object. */
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
