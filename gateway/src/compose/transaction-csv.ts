import { timestampDate } from '@bufbuild/protobuf/wkt'
import { localDay } from '@coffer/kit/values/day'
import { decimalText } from '@coffer/kit/values/decimal'
import { dayMs } from '@coffer/kit/values/time'
import type {
  ListTransactionsResponse,
  Transaction,
  TransactionPlace,
} from '@coffer/proto/ledger/v1/transaction'

/** Maximum number of rows of a file: as many as an import reads (docs/limits.md). */
const rowsMaxDefault = 100_000

type Page = Pick<ListTransactionsResponse, 'transactions' | 'next'>

interface Style {
  currency: string
  /** A comma, and then semicolons separate the columns, or a point. */
  decimalMark: ',' | '.'
  /** IANA name of the account's timezone, in which days are written. */
  timezone: string
  /** Names of the envelopes by ID. */
  envelopes: ReadonlyMap<string, string>
}

const columns: Record<string, (of: Transaction, style: Style) => string> = {
  Date: ({ date }, { timezone }) => (date ? dayText(timestampDate(date), timezone) : ''),
  Name: ({ name = '' }) => textCell(name),
  Merchant: ({ merchantName = '' }) => textCell(merchantName),
  // No formula: a sign, digits and a decimal mark.
  Amount: ({ amount }, { currency, decimalMark }) =>
    decimalText(-amount, currency).replace('.', decimalMark),
  Currency: (_, { currency }) => currency,
  Envelope: ({ spendingId, refundSpendingId }, { envelopes }) =>
    textCell(envelopes.get(spendingId ?? refundSpendingId ?? '') ?? ''),
  Status: ({ isPending }) => (isPending ? 'pending' : 'posted'),
  Category: ({ category = '' }) => textCell(category),
  Notes: ({ notes = '' }) => textCell(notes),
  Tags: ({ tags }) => textCell(tags.join(', ')),
  Source: ({ source }) => source,
  'Original name': ({ originalName }) => textCell(originalName),
  'Transaction ID': ({ transactionId }) => transactionId,
}

/**
 * Streams transactions as CSV (RFC 4180), page by page: a header, then a row each
 * (docs/transactions.md#csv). Begins with a byte order mark, without which Excel reads UTF-8 in
 * the code page of the computer. Backpressure: the next page is read only after the client has
 * taken the page before it. Throws RangeError beyond `rowsMax` rows.
 */
export async function* transactionCsv(
  first: Page,
  readBehind: (place: TransactionPlace) => Promise<Page>,
  { rowsMax = rowsMaxDefault, ...style }: Style & { rowsMax?: number },
): AsyncGenerator<string> {
  yield `\ufeff${Object.keys(columns).join(delimiterOf(style))}\r\n`
  let count = 0
  for (let page = first; ; page = await readBehind(page.next)) {
    count += page.transactions.length
    if (count > rowsMax) throw new RangeError(`the file has more than ${rowsMax} rows`)
    yield page.transactions.map((one) => rowText(one, style)).join('')
    if (page.next === undefined) return
  }
}

function rowText(transaction: Transaction, style: Style): string {
  const delimiter = delimiterOf(style)
  const cells = Object.values(columns).map((cellOf) =>
    quoted(cellOf(transaction, style), delimiter),
  )
  return `${cells.join(delimiter)}\r\n`
}

function delimiterOf({ decimalMark }: Style): string {
  return decimalMark === ',' ? ';' : ','
}

function quoted(cell: string, delimiter: string): string {
  const isPlain = !/[";\t\r\n]|^\s|\s$/.test(cell) && !cell.includes(delimiter)
  return isPlain ? cell : `"${cell.replaceAll('"', '""')}"`
}

/**
 * CSV injection: returns a text that no spreadsheet takes for a formula. An apostrophe goes in
 * front of `=`, `+`, `-` and `@`, also in full width, where a cell may begin: spreadsheets of some
 * countries split at `;`, others at `,`. Import removes it again (docs/files.md#csv-mappings).
 */
function textCell(text: string): string {
  return text.replace(/(?<=^|[,;\t\r\n])(?='*[=+\-@＝＋－＠])|^(?=[\t\r\n])/gu, "'")
}

/** Returns the calendar day of an instant in a timezone, as YYYY-MM-DD. */
function dayText(instant: Date, timezone: string): string {
  return new Date(localDay(instant.getTime(), timezone) * dayMs).toISOString().slice(0, 10)
}
