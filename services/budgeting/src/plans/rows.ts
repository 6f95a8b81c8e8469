/** Rows of one table as decisions leave them, beside those that were read. */
export interface Rows<Row> {
  idOf: (row: Row) => string
  read: ReadonlyMap<string, Row>
  current: Map<string, Row>
}

/** Starts from the rows as they were read. */
export function startRows<Row>(rows: readonly Row[], idOf: (row: Row) => string): Rows<Row> {
  const read = new Map(rows.map((row) => [idOf(row), row]))
  return { idOf, read, current: new Map(read) }
}

/** Adds a row, or puts it in the place of the one with its ID. */
export function put<Row>(rows: Rows<Row>, row: Row): void {
  rows.current.set(rows.idOf(row), row)
}

export function remove<Row>(rows: Rows<Row>, row: Row): void {
  rows.current.delete(rows.idOf(row))
}

/** What is to be saved of them. */
export function changesOf<Row>({ read, current }: Rows<Row>): {
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
