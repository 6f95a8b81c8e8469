import { directionOf, guessAmounts } from './amount-guess.ts'
import { Cells, type Evidence } from './cells.ts'
import { type Columns, listFormats } from './column-mapping.ts'
import { findHeader } from './headers.ts'

/** Words in headers by the role of a column, in several languages. */
const meanings = {
  date: /date|buchungstag|datum|fecha|day/i,
  merchant: new RegExp(
    'merchant|payee|name|empfänger|beguenstigter|begünstigter|tegenpartij|tegenrekeninghouder|' +
      'beneficiary|counterparty|naam|saņēmējs|saaja|gavėjas|název protiúčtu|partner|kontrahent',
    'i',
  ),
  memo: new RegExp(
    'description|verwendungszweck|memo|label|details|text|concept|libell|omschrijving|' +
      'narrative|note|zpráva|közlemény|selgitus|informācija|^action|descri[pçz]|betreff|opis|' +
      'tytu[łl]|hist[oó]rico|motivo|causale|beskriv|meddelande|selite|viesti|назначение|описание|' +
      'açıklama|摘要|適用|적요',
    'i',
  ),
  id: /(transaction|reference).*(id|number|no)|\bid\b|referenz|fitid/i,
} as const

/** Headers of value dates, from which interest accrues; booking dates are preferred. */
const valueDate = /valu|wertstell/i
/** Headers of identifiers that several payments share: creditor, mandate, customer, batch. */
const sharedIds = /gl(ä|ae)ubiger|creditor|mandat|kunden|customer|sammler|end.to.end/i
/** Headers of the user's own bank account: its name is not the other party of a payment. */
const ofOwnAccount =
  /account|konto|inhaber|owner|titular|compte|card|source name|számla|(?<!proti)účtu/i
/** Headers of codes and categories: they describe a payment less than free text does. */
const ofKind =
  /typ|típus|art$|[ck]at[eé]gor|status|state|currency|bic|iban|ref|number|no$|code|bank|method/i
/** Headers of the payment method: its name is not the other party. */
const ofMethod = /method/i
/** Headers of the name of a bank, which is not the other party of a payment. */
const ofBank =
  /bank.?name|name (?:of|der) .*bank|kreditinstitut|nom de .*banque|nombre del banco|nome .*banca/i

/**
 * A column with a matching header is skipped if another such column has more than this number times
 * its information (`Cells.information`).
 */
const informationRatio = 3
/** Minimum number of rows from which a column with a constant text cannot be the other party. */
const sameMin = 3

/** Columns of Coffer's own CSV export (docs/transactions.md#csv). */
const ofOwnFile: Columns = {
  date: 'Date',
  format: 'YYYY-MM-DD',
  memo: 'Original name',
  merchant: 'Name',
  amountKind: 'sign',
  amount: 'Amount',
  out: 'minus',
  debits: '',
  credits: '',
  direction: '',
  debitWord: '',
  creditWord: '',
  id: 'Transaction ID',
  balance: '',
}

/** Guesses the columns from headers and first rows; the user may change them. */
export function guessColumns(
  headers: readonly string[],
  locale: string,
  evidence: Evidence = {},
): Columns {
  const { memo: text, id: number } = ofOwnFile
  if (headers.includes(text) && headers.includes(number)) return ofOwnFile
  const all = new Cells(headers, evidence)
  const format = evidence.dateFormat ?? (locale.endsWith('US') ? 'MM/DD/YYYY' : 'YYYY-MM-DD')
  const days = headers.filter((one) => all.isDays(one, format))
  const date = findDate(headers, days, all)
  const cells = new Cells(headers, evidence, date)
  const free = headers.filter((one) => one !== date && !days.includes(one))
  const amounts = guessAmounts(free, cells, { ...evidence, date })
  const taken: string[] = Object.values(amounts)
  const texts = free.filter((one) => !taken.includes(one))
  const id = findId(texts, cells)
  const others = texts.filter((one) => one !== id)
  return {
    date,
    format: evidence.isDayOpen ? orderOf(format, locale) : format,
    ...amounts,
    id,
    ...guessTexts(others, cells),
  }
}

/**
 * Returns the format of ambiguous dates with day and month in the order of the locale, which the
 * user can change; '' if its order begins with the year. Dates with points have the day first.
 */
function orderOf(format: string, locale: string): string {
  if (format.includes('.')) return format
  const parts = new Intl.DateTimeFormat(locale.replaceAll('_', '-')).formatToParts()
  const first = parts.find(({ type }) => /^(day|month|year)$/.test(type))?.type ?? ''
  if (first === 'year') return ''
  return listFormats(format).find((one) => one[0] === first[0]?.toUpperCase()) ?? ''
}

/** Replaces the column of amounts, and guesses the direction again. */
export function withAmount(
  columns: Columns,
  amount: string,
  { headers, evidence }: { headers: readonly string[]; evidence: Evidence },
): Columns {
  const cells = new Cells(headers, evidence, columns.date)
  const { isDebt = false } = evidence
  return { ...columns, amount, ...directionOf(amount, { headers, cells, isDebt }) }
}

/** Returns the date column. The fullest one wins, because imports skip rows without a date. */
function findDate(headers: readonly string[], days: readonly string[], cells: Cells): string {
  const most = Math.max(...days.map((one) => cells.filled(one)))
  const full = days.filter((one) => cells.filled(one) === most)
  const booked = full.filter((one) => !valueDate.test(one))
  const [first] = booked.length > 0 ? booked : full
  return findHeader(booked, meanings.date) || (first ?? findHeader(headers, meanings.date))
}

/** Returns the column of the bank's transaction IDs, if all its cells differ. */
function findId(headers: readonly string[], cells: Cells): string {
  const isOne = (one: string) => !sharedIds.test(one) && cells.different(one) === cells.count
  return findHeader(headers.filter(isOne), meanings.id)
}

function guessTexts(headers: readonly string[], cells: Cells) {
  // A mostly blank column is used only if no fuller one matches; later rows may fill it.
  const isRead = (one: string) => cells.count === 0 || cells.information(one) > 0
  const texts = headers.filter(isRead)
  const isFull = (one: string) => cells.filled(one) * 2 >= cells.count
  const memo =
    findInformative(texts.filter(isFull), { meaning: meanings.memo, cells }) ||
    findHeader(texts, meanings.memo)
  const parties = texts.filter((one) => one !== memo && isParty(one, cells))
  const merchant = findInformative(parties, { meaning: meanings.merchant, cells })
  const own = texts.filter((one) => !ofKind.test(one) && !ofOwnAccount.test(one))
  const [longest = headers[0] ?? ''] = [own, texts].flatMap((group) =>
    group.toSorted((one, other) => cells.information(other) - cells.information(one)),
  )
  const text = memo || merchant || longest
  return { memo: text, merchant: merchant === text ? '' : merchant }
}

function isParty(header: string, cells: Cells): boolean {
  const isSame = cells.count >= sameMin && cells.different(header) === 1
  const isOther = [ofOwnAccount, ofMethod, ofBank].some((headers) => headers.test(header))
  return !isSame && !isOther && !cells.areIbans(header)
}

/** Returns a header that matches `meaning`; skips those with far less information than others. */
function findInformative(
  headers: readonly string[],
  { meaning, cells }: { meaning: RegExp; cells: Cells },
): string {
  const named = headers.filter((one) => meaning.test(one))
  const most = Math.max(...named.map((one) => cells.information(one)))
  return findHeader(
    named.filter((one) => cells.information(one) * informationRatio >= most),
    meaning,
  )
}
