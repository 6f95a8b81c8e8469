import type { CsvMapping } from '../../api/import-queries.ts'

/** The meaning of the columns, as the form holds it; an empty text is no column. */
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
  invert: boolean
  id: string
  balance: string
}

/** The columns as last sent, and the mapping made of them: the person can go back to both. */
export interface Draft {
  columns: Columns | null
  mappingId: string | null
}

/** Ways to write a day that are offered, the most usual ones first. */
export const dayFormats = [
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

const example: Readonly<Record<string, string>> = { Y: '2026', M: '12', D: '31' }

/** Returns a day as the format writes it. */
export function writeExample(format: string): string {
  return format.replace('MMM', 'Dec').replace(/YYYY|YY|MM|M|DD|D(?!ec)/g, (part) => {
    const text = example[part.slice(0, 1)] ?? ''
    return part === 'YY' ? text.slice(2) : text
  })
}

const pieces: Readonly<Record<string, string>> = {
  YYYY: '[0-9]{4}',
  YY: '[0-9]{2}',
  MMM: '[^0-9 ]{3,}',
  MM: '(?:0[1-9]|1[0-2])',
  M: '(?:0?[1-9]|1[0-2])',
  DD: '(?:0[1-9]|[12][0-9]|3[01])',
  D: '(?:0?[1-9]|[12][0-9]|3[01])',
}

/** Returns the first text that the format does not fit, apart from blank ones; null if it fits. */
export function findMisfit(texts: readonly string[], format: string): string | null {
  const source = format
    .replace(/[^YMD]/g, (mark) => `[${mark}]`)
    .replace(/Y+|M+|D+/g, (part) => pieces[part] ?? part)
  const pattern = new RegExp(`^${source}(?![0-9]{1,3}(?![0-9]))`)
  return texts.find((text) => text !== '' && !pattern.test(text)) ?? null
}

/** Words of headers by their meaning: English, German, French, Spanish and Dutch banks. */
const meanings = {
  date: /date|buchungstag|datum|fecha|day/i,
  merchant: /merchant|payee|name|empfänger|beguenstigter|begünstigter|tegenpartij/i,
  memo: /description|verwendungszweck|memo|details|text|concept|libell|omschrijving|narrative/i,
  amount: /amount|betrag|montant|importe|bedrag|value/i,
  debits: /debit|soll|withdrawal|money out|paid out|cargo/i,
  credits: /credit|haben|deposit|money in|paid in|abono/i,
  id: /(transaction|reference).*(id|number|no)|\bid\b|referenz|fitid/i,
  balance: /balance|saldo|solde|kontostand/i,
} as const

/** Identifiers of SEPA that several payments share: a creditor, a mandate, a customer, a batch. */
const sharedIds = /gl(ä|ae)ubiger|creditor|mandat|kunden|customer|sammler|end.to.end/i

/**
 * Returns the header that equals a word, the first word of the meaning before the others; else the
 * first header that contains a word, else an empty text.
 */
function findHeader(headers: readonly string[], meaning: RegExp): string {
  return exactHeader(headers, meaning) || (headers.find((header) => meaning.test(header)) ?? '')
}

function exactHeader(headers: readonly string[], meaning: RegExp): string {
  const names = meaning.source.split('|')
  const places = (header: string) => names.indexOf(header.trim().toLowerCase())
  const [exact = ''] = headers
    .filter((header) => places(header) >= 0)
    .sort((one, other) => places(one) - places(other))
  return exact
}

/** Columns of the bank account itself: its name is no other party of a payment. */
const ofOwnAccount = /account|konto|inhaber|owner|titular|compte/i

/** Headers that the server gives to the columns of a file without a header. */
const unnamed = /^Column \d+$/
const writtenAmount = /^[-+(]?[^\p{L}\d]{0,3}\d[\d.,' ]*[.,]\d{2}\)?[-+]?( ?[A-Z]{3})?$/u
/** Number of rows from which one text in all of them says that it names no other party. */
const sameMin = 3

/** Findings of the server in a file: how its days are written, and its first rows. */
export interface Evidence {
  dateFormat?: string | undefined
  rows?: readonly { cells: readonly string[] }[]
}

/** Returns a first guess by headers and first rows, which the person may change. */
export function guessColumns(
  headers: readonly string[],
  locale: string,
  { dateFormat, rows = [] }: Evidence = {},
): Columns {
  const cellsOf = (header: string) => rows.map(({ cells }) => cells[headers.indexOf(header)] ?? '')
  const guess = headers.every((header) => unnamed.test(header))
    ? guessByCells(headers, { cellsOf, dateFormat })
    : guessByHeaders(headers, cellsOf)
  const format = dateFormat ?? (locale.endsWith('US') ? 'MM/DD/YYYY' : 'YYYY-MM-DD')
  const isPair = guess.amount === '' && guess.debits !== ''
  return {
    direction: '',
    debitWord: 'debit',
    creditWord: 'credit',
    ...guess,
    format,
    amountKind: isPair ? 'column' : 'sign',
    invert: !isPair,
  }
}

type Guess = Pick<
  Columns,
  'date' | 'id' | 'balance' | 'amount' | 'debits' | 'credits' | 'memo' | 'merchant'
>

function guessByHeaders(headers: readonly string[], cellsOf: (header: string) => string[]): Guess {
  const free = new Set(headers)
  // The first rows may have no debit or no credit; a column of texts or numbers is not blank.
  const isBlank = (header: string) => {
    const cells = cellsOf(header)
    return cells.length > 0 && cells.every((cell) => cell === '')
  }
  const take = (meaning: RegExp, isUnfit: (header: string) => boolean = () => false) => {
    const found = findHeader(
      [...free].filter((header) => !isUnfit(header)),
      meaning,
    )
    free.delete(found)
    return found
  }
  const date = take(meanings.date)
  const id = take(meanings.id, (header) => isBlank(header) || sharedIds.test(header))
  const balance = take(meanings.balance)
  const [debit, credit] = [meanings.debits, meanings.credits].map((one) =>
    findHeader([...free], one),
  )
  // `Debit Amount` and `Credit Amount` are a pair, unless one column is for amounts alone.
  const isPair = debit !== '' && credit !== '' && debit !== credit
  const sole = isPair ? exactHeader([...free], meanings.amount) : ''
  const amount = isPair && sole === '' ? '' : take(meanings.amount)
  const [debits, credits] = [take(meanings.debits), take(meanings.credits)]
  const memo = take(meanings.memo, isBlank)
  const merchant = take(meanings.merchant, (header) => {
    const cells = cellsOf(header)
    const isSame = cells.length >= sameMin && new Set(cells).size === 1
    return isSame || isBlank(header) || ofOwnAccount.test(header)
  })
  const text = memo || merchant || ([...free][0] ?? '')
  return { date, id, balance, amount, debits, credits, memo: text, merchant: memo && merchant }
}

/** Guesses the columns of a file without a header by what is in them. */
function guessByCells(
  headers: readonly string[],
  {
    cellsOf,
    dateFormat,
  }: { cellsOf: (header: string) => string[]; dateFormat: string | undefined },
): Guess {
  const isDay = (one: string) =>
    dateFormat !== undefined && findMisfit(cellsOf(one), dateFormat) === null
  const date = headers.find(isDay) ?? headers[0] ?? ''
  const others = headers.filter((one) => one !== date)
  const isAmount = (cell: string) => cell === '' || writtenAmount.test(cell)
  const amount = others.find((one) => cellsOf(one).every(isAmount)) ?? ''
  const letters = (one: string) => cellsOf(one).join('').replace(/\P{L}/gu, '').length
  const [memo = ''] = others
    .filter((one) => one !== amount)
    .toSorted((one, other) => letters(other) - letters(one))
  return { date, amount, memo, merchant: '', id: '', balance: '', debits: '', credits: '' }
}

/** Returns the mapping that the API takes (docs/files.md#csv-mappings). */
export function mappingOf(columns: Columns, headers: string[]): CsvMapping {
  const { date, format, memo, merchant, amountKind, invert, id, balance } = columns
  const amounts = {
    sign: [columns.amount],
    column: [columns.debits, columns.credits],
    type: [columns.amount, columns.direction],
  }[amountKind]
  const words =
    amountKind === 'type' ? { debit: columns.debitWord, credit: columns.creditWord } : {}
  // Without an ID of the bank, day, text and amount identify a row.
  const identity = id === '' ? [...new Set([date, memo, ...amounts])] : [id]
  return {
    headers,
    id: { kind: id === '' ? 'hashed' : 'native', fields: identity.map((name) => ({ name })) },
    amount: { kind: amountKind, invert, fields: amounts.map((name) => ({ name })), ...words },
    memo: { name: memo },
    ...(merchant === '' ? {} : { merchant: { name: merchant } }),
    date: { fields: [{ name: date }], format },
    balance: balance === '' ? { kind: 'none' } : { kind: 'field', fields: [{ name: balance }] },
  }
}
