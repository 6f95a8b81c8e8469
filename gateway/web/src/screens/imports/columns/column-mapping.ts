import type { CsvMapping } from '../../../api/import-queries.ts'

/** The state of the column form; '' means no column. */
export interface Columns {
  date: string
  format: string
  memo: string
  merchant: string
  amountKind: 'sign' | 'column' | 'type'
  amount: string
  debits: string
  credits: string
  direction: string
  debitWord: string
  creditWord: string
  /** Whether amounts with or without a minus leave the account; '' while undecided. */
  out: 'minus' | 'plain' | ''
  id: string
  balance: string
}

/** The columns as last sent, and the mapping created from them, for the step back to the form. */
export interface Draft {
  columns: Columns | null
  mappingId: string | null
}

/** Maximum number of columns that a mapping names, used columns first. */
export const mappedMax = 20

/** Date formats to choose from, the most common first. */
const dayFormats = [
  'YYYY-MM-DD',
  'MM/DD/YYYY',
  'DD.MM.YYYY',
  'DD/MM/YYYY',
  'M/D/YYYY',
  'D.M.YYYY',
  'DD-MM-YYYY',
  'DD.MM.YY',
  'MM/DD/YY',
  'YYYY/MM/DD',
]

/** Returns the date formats to choose from: the detected one, its day-month swap, then others. */
export function listFormats(found: string): string[] {
  const other = found.replace(/D+|M{1,2}(?!M)/g, (part) =>
    (part.startsWith('D') ? 'M' : 'D').repeat(part.length),
  )
  const both = found.startsWith('Y') || found.includes('MMM') ? [found] : [found, other]
  return [...new Set([...both, ...dayFormats])]
}

const example: Readonly<Record<string, string>> = { Y: '2026', M: '12', D: '31' }

/** Returns an example date in a format. */
export function writeExample(format: string): string {
  return format.replace('MMM', 'Dec').replace(/YYYY|YY|MM|M|DD|D(?!ec)/g, (part) => {
    const text = example[part.slice(0, 1)] ?? ''
    return part === 'YY' ? text.slice(2) : text
  })
}

/** The required fields for each kind of amounts. */
const amountFields = {
  sign: ['amount', 'out'],
  column: ['debits', 'credits'],
  type: ['amount', 'direction', 'debitWord', 'creditWord'],
} as const

/** Returns the required fields that neither the guess nor the user has filled. */
export function findOpen(columns: Columns): (keyof Columns)[] {
  const fields = ['date', 'format', 'memo', ...amountFields[columns.amountKind]] as const
  return fields.filter((field) => columns[field] === '')
}

/** Returns the mapping for a request to the API (docs/files.md#csv-mappings). */
export function mappingOf(columns: Columns, headers: string[]): CsvMapping {
  const { date, format, memo, merchant, amountKind, out, id, balance } = columns
  const amounts = {
    sign: [columns.amount],
    column: [columns.debits, columns.credits],
    type: [columns.amount, columns.direction],
  }[amountKind]
  const words =
    amountKind === 'type' ? { debit: columns.debitWord, credit: columns.creditWord } : {}
  const invert = amountKind === 'sign' && out === 'minus'
  // Without a bank's ID, rows are identified by a hash of date, text and amount.
  const identity = id === '' ? [...new Set([date, memo, ...amounts])] : [id]
  const used = [date, memo, merchant, balance, ...identity, ...amounts].filter((one) => one !== '')
  const named = new Set([...new Set([...used, ...headers])].slice(0, mappedMax))
  return {
    headers: headers.filter((one) => named.has(one)),
    id: { kind: id === '' ? 'hashed' : 'native', fields: identity.map((name) => ({ name })) },
    amount: { kind: amountKind, invert, fields: amounts.map((name) => ({ name })), ...words },
    memo: { name: memo },
    ...(merchant === '' ? {} : { merchant: { name: merchant } }),
    date: { fields: [{ name: date }], format },
    balance: balance === '' ? { kind: 'none' } : { kind: 'field', fields: [{ name: balance }] },
  }
}
