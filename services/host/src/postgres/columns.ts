import pg from 'pg'

/** Reads a value of a row from its bytes. */
type Read = (bytes: Buffer, start: number, end: number) => unknown

/** A column of an answer, and how its values are read. */
export interface Column {
  name: string
  read: Read
}

/** A column as Postgres describes it; `dataTypeID` is the OID of its type. */
export interface Field {
  name: string
  dataTypeID: number
}

/** Reads a row from the body of its message; a value is null if its length is -1. */
export function readRow(
  columns: readonly Column[],
  bytes: Buffer,
  start: number,
): Record<string, unknown> {
  const row: Record<string, unknown> = {}
  let at = start + 2
  for (const { name, read } of columns) {
    const length = bytes.readInt32BE(at)
    at += 4
    row[name] = length < 0 ? null : read(bytes, at, at + length)
    if (length > 0) at += length
  }
  return row
}

/** Returns the columns of an answer in the formats given; without any, all are texts. */
export function columnsOf(fields: readonly Field[], formats: readonly number[]): Column[] {
  return fields.map(({ name, dataTypeID: type }, place) => {
    const binaryRead = formats[place] === 1 ? binaryReads.get(type) : undefined
    return { name, read: binaryRead ?? textRead(type) }
  })
}

/** Returns the format code of each column: 1 (binary) for types that are cheaper so, else 0. */
export function formatsOf(fields: readonly Field[]): number[] {
  return fields.map(({ dataTypeID }) => (binaryReads.has(dataTypeID) ? 1 : 0))
}

const { BOOL, BYTEA, INT4, INT8, JSONB, TEXT, TIMESTAMPTZ, VARCHAR } = pg.types.builtins

/** Milliseconds from the Unix epoch to Postgres's, 2000-01-01 UTC. */
const epochMs = Date.UTC(2000, 0, 1)

const binaryReads = new Map<number, Read>([
  [INT4, (bytes, start) => bytes.readInt32BE(start)],
  [INT8, (bytes, start) => bytes.readBigInt64BE(start)],
  // Microseconds, rounded down: Date counts milliseconds.
  [
    TIMESTAMPTZ,
    (bytes, start) => {
      const micros = bytes.readInt32BE(start) * 0x1_0000_0000 + bytes.readUInt32BE(start + 4)
      return new Date(Math.floor(micros / 1000) + epochMs)
    },
  ],
])

const readText: Read = (bytes, start, end) => bytes.toString(undefined, start, end)

/** Returns how values of a type in text format are read. */
function textRead(type: number): Read {
  if (type === TEXT || type === VARCHAR) return readText
  if (type === BOOL) return (bytes, start) => bytes[start] === 0x74
  // Cast, because pg's types declare bytes as the input of a parser; in text format it is a string.
  const decode = exactTypes.getTypeParser(type) as unknown as (text: string) => unknown
  return (bytes, start, end) => decode(bytes.toString(undefined, start, end))
}

/** pg's parsers, replaced by exact ones for bigint, timestamps (Date), JSON and bytea (Buffer). */
const exactTypes = createExactTypes()

function createExactTypes(): pg.TypeOverrides {
  const decoders: [type: number, arrayType: number, decode: (text: string) => unknown][] = [
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
