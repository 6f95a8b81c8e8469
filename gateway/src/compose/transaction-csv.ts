import { timestampDate } from '@bufbuild/protobuf/wkt'
import { localDay } from '@coffer/kit/values/day'
import { decimalText } from '@coffer/kit/values/decimal'
import { dayMs } from '@coffer/kit/values/time'
import type {
  ListTransactionsResponse,
  Transaction,
  TransactionPlace,
} from '@coffer/proto/ledger/v1/transaction'

/** Maximum number of rows of a file, equal to that of an import (docs/limits.md). */
const rowsMaxDefault = 100_000

type Page = Pick<ListTransactionsResponse, 'transactions' | 'next'>

interface Style {
  currency: string
  /** With a decimal comma, semicolons separate the columns; with a point, commas do. */
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
  // Not escaped as text: sign, digits and decimal mark are no formula.
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
 * Streams transactions as CSV (RFC 4180), page by page: a header, then one row for each transaction
 * (docs/transactions.md#csv). Begins with a byte order mark, without which Excel decodes UTF-8 by
 * the computer's code page. Backpressure: the next page is read only after the client has taken the
 * page before it. Throws RangeError beyond `rowsMax` rows.
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
 * Prevents CSV injection: returns a text that spreadsheets do not evaluate as a formula. Inserts an
 * apostrophe before `=`, `+`, `-` and `@`, also full-width, wherever a cell may begin: depending on
 * the country, spreadsheets split at `;` or `,`. Imports remove it again
 * (docs/files.md#csv-mappings).
 */
function textCell(text: string): string {
  return text.replace(/(?<=^|[,;\t\r\n])(?='*[=+\-@＝＋－＠])|^(?=[\t\r\n])/gu, "'")
}

/** Returns the calendar day of an instant in a timezone, as YYYY-MM-DD. */
function dayText(instant: Date, timezone: string): string {
  return new Date(localDay(instant.getTime(), timezone) * dayMs).toISOString().slice(0, 10)
}
