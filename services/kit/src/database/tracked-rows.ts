/** Change tracking for a unit of work: rows of one table as read, and as decisions left them. */
export interface TrackedRows<Row> {
  idOf: (row: Row) => string
  read: ReadonlyMap<string, Row>
  current: Map<string, Row>
}

/** Starts from the rows as they were read. */
export function track<Row>(rows: readonly Row[], idOf: (row: Row) => string): TrackedRows<Row> {
  const read = new Map(rows.map((row) => [idOf(row), row]))
  return { idOf, read, current: new Map(read) }
}

/** Adds rows, each in place of the one with its ID. */
export function put<Row>(tracked: TrackedRows<Row>, rows: readonly Row[] = []): void {
  for (const row of rows) tracked.current.set(tracked.idOf(row), row)
}

export function remove<Row>(tracked: TrackedRows<Row>, rows: readonly Row[] = []): void {
  for (const row of rows) tracked.current.delete(tracked.idOf(row))
}

/** The rows to insert, to update and to delete. A row counts as changed if it is another object. */
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
