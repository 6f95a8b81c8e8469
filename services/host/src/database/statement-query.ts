import pg from 'pg'

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
}

/** Settles the promise of a statement. */
type Outcome = Pick<PromiseWithResolvers<Found>, 'resolve' | 'reject'>

type Decode = (text: string) => unknown

interface Column {
  name: string
  decode: Decode
}

/**
 * Cache of the columns of prepared statements, by the name of the statement. The columns of a
 * prepared statement cannot change during a connection.
 */
export type ColumnsByName = Map<string, readonly Column[]>

/** The methods of pg's connection that a statement calls. */
interface Wire {
  parse: (message: { text: string; name?: string | undefined }) => void
  bind: (message: object) => void
  describe: (message: { type: 'P'; name: string }) => void
  execute: (message: { portal: string; rows: number }) => void
  sync: () => void
  submittedNamedStatements: Record<string, string>
}

/**
 * A statement on a connection of pg. It decodes each row message directly into the returned row,
 * and requests the columns of a prepared statement once per connection. Reading a list of 25 rows
 * takes half the CPU time of pg's own class. It calls undocumented methods of pg (8.23);
 * `database.test.ts` fails when they change.
 */
export class StatementQuery extends pg.Query {
  declare name: string | undefined
  declare text: string
  declare values: unknown[]
  declare hasBeenParsed: (connection: Wire) => boolean
  readonly #known: ColumnsByName
  readonly #parse: Statement['parse']
  #columns: readonly Column[] | undefined
  readonly #rows: unknown[] = []
  #rowCount = 0
  #refusal: { error: unknown } | null = null
  readonly #outcome: Outcome

  constructor({ text, name, values, parse }: Statement, known: ColumnsByName, outcome: Outcome) {
    // Passes the text alone: pg would copy the property descriptors of an object, which takes 3 %
    // of the CPU time of a short read.
    super(text)
    this.values = values as unknown[]
    this.name = name
    this.#known = known
    this.#parse = parse
    this.#columns = name === undefined ? undefined : known.get(name)
    this.#outcome = outcome
  }

  prepare(connection: Wire): void {
    const { name, text, values } = this
    if (!this.hasBeenParsed(connection)) {
      connection.parse({ text, name })
      if (name !== undefined) connection.submittedNamedStatements[name] = text
    }
    connection.bind({ portal: '', statement: name, values, valueMapper: encode })
    if (this.#columns === undefined) connection.describe({ type: 'P', name: '' })
    connection.execute({ portal: '', rows: 0 })
    connection.sync()
  }

  handleRowDescription({ fields }: { fields: { name: string; dataTypeID: number }[] }): void {
    this.#keepColumns(
      fields.map(({ name, dataTypeID }) => ({
        name,
        decode: decoderOf(dataTypeID),
      })),
    )
  }

  handleDataRow({ fields }: { fields: (string | null)[] }): void {
    if (this.#refusal !== null || this.#columns === undefined) return
    const row: Record<string, unknown> = {}
    let index = 0
    try {
      for (const { name, decode } of this.#columns) {
        const text = fields[index++]
        row[name] = text === null || text === undefined ? null : decode(text)
      }
      this.#rows.push(this.#parse(row))
    } catch (error) {
      this.#refusal = { error }
    }
  }

  handleCommandComplete({ text }: { text: string }): void {
    // The command tag ends with the number of rows ("SELECT 25", "INSERT 0 1") or has none
    // ("BEGIN").
    this.#rowCount = Number(/ (\d+)$/.exec(text)?.[1] ?? 0)
    if (this.#columns === undefined) this.#keepColumns([])
  }

  handleError(error: unknown): void {
    this.#outcome.reject(error)
  }

  handleReadyForQuery(): void {
    if (this.#refusal !== null) this.#outcome.reject(this.#refusal.error)
    else this.#outcome.resolve({ rows: this.#rows, rowCount: this.#rowCount })
  }

  #keepColumns(columns: readonly Column[]): void {
    this.#columns = columns
    if (this.name !== undefined) this.#known.set(this.name, columns)
  }
}

type Encode = (value: unknown) => unknown

/** Converts a value as pg does. Most values are texts, which need no conversion. */
const encode: Encode = (value) => (typeof value === 'string' ? value : prepareValue(value))

// pg exports its conversion of parameters as `utils.prepareValue`, which its types do not declare.
const { prepareValue } = (pg as unknown as { utils: { prepareValue: Encode } }).utils

/** pg's parsers, replaced by exact ones for bigint, timestamps (Date), JSON and bytea (Buffer). */
const exactTypes = createExactTypes()

function decoderOf(type: number): Decode {
  // Cast, because pg's types declare bytes as the input of a parser; in text format it is a string.
  return exactTypes.getTypeParser(type) as unknown as Decode
}

function createExactTypes(): pg.TypeOverrides {
  const { INT8, TIMESTAMPTZ, JSONB, BYTEA } = pg.types.builtins
  const decoders: [type: number, arrayType: number, decode: Decode][] = [
    [INT8, 1016, BigInt],
    [TIMESTAMPTZ, 1185, (text) => new Date(text)],
    [JSONB, 3807, JSON.parse],
    [BYTEA, 1001, (text) => Buffer.from(text.slice(2), 'hex')],
  ]
  const readTexts = pg.types.getTypeParser(1009 as number) as (text: string) => (string | null)[]
  const types = new pg.TypeOverrides()
  for (const [type, arrayType, decode] of decoders) {
    types.setTypeParser(type, decode)
    types.setTypeParser(arrayType, (text: string) =>
      readTexts(text).map((one) => (one === null ? null : decode(one))),
    )
  }
  return types
}
