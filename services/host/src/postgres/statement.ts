/** A statement as it is sent. */
export interface Statement {
  text: string
  /** Name under which connections keep it prepared; without one it is parsed each time. */
  name?: string | undefined
  values: readonly unknown[]
  /** Whether it is a short read (`read` of the kit), which may share a connection. */
  isRead: boolean
  /** Checks and converts a row. */
  parse: (row: Record<string, unknown>) => unknown
}

/** Rows of a statement, and the number of rows that it read or changed. */
export interface Found {
  rows: unknown[]
  rowCount: number
  /** Tag of the last command ("COMMIT"), by the simple query protocol only. */
  tag?: string
}
