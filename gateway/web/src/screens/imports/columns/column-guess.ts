import { directionOf, guessAmounts } from './amount-guess.ts'
import { Cells, type Evidence } from './cells.ts'
import type { Columns } from './column-mapping.ts'
import { findHeader } from './headers.ts'

/** Words of headers by their meaning, in the languages of banks. */
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

/** Days on which interest begins, beside those of bookings. */
const valueDate = /valu|wertstell/i
/** Identifiers of SEPA that several payments share: a creditor, a mandate, a customer, a batch. */
const sharedIds = /gl(ä|ae)ubiger|creditor|mandat|kunden|customer|sammler|end.to.end/i
/** Columns of the bank account itself: its name is no other party of a payment. */
const ofOwnAccount =
  /account|konto|inhaber|owner|titular|compte|card|source name|számla|(?<!proti)účtu/i
/** Columns of few words and of codes, which tell less of a payment. */
const ofKind =
  /typ|típus|art$|[ck]at[eé]gor|status|state|currency|bic|iban|ref|number|no$|code|bank|method/i
/** Ways to pay, whose name is no other party. */
const ofMethod = /method/i

/** A column of a fitting name is passed over if another one tells so many times as much. */
const toldBy = 3
/** Number of rows from which one text in all of them says that it names no other party. */
const sameMin = 3

/** The columns of the app's own file, which is read as equal rows (docs/transactions.md#csv). */
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

/** Returns a first guess by headers and first rows, which the person may change. */
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
  // Countries that write points have the day first.
  const isOpen = evidence.isDayOpen && !format.includes('.')
  return { date, format: isOpen ? '' : format, ...amounts, id, ...guessTexts(others, cells) }
}

/** Returns the columns with other amounts, whose direction is guessed again. */
export function withAmount(
  columns: Columns,
  amount: string,
  { headers, evidence }: { headers: readonly string[]; evidence: Evidence },
): Columns {
  const cells = new Cells(headers, evidence, columns.date)
  const { isDebt = false } = evidence
  return { ...columns, amount, ...directionOf(amount, { headers, cells, isDebt }) }
}

/** Returns the column of the days: rows without a day are left out, so a full one wins. */
function findDate(headers: readonly string[], days: readonly string[], cells: Cells): string {
  const most = Math.max(...days.map((one) => cells.filled(one)))
  const full = days.filter((one) => cells.filled(one) === most)
  const booked = full.filter((one) => !valueDate.test(one))
  const [first] = booked.length > 0 ? booked : full
  return findHeader(booked, meanings.date) || (first ?? findHeader(headers, meanings.date))
}

/** Returns the column of the bank's numbers, if no two rows have the same one. */
function findId(headers: readonly string[], cells: Cells): string {
  const isOne = (one: string) => !sharedIds.test(one) && cells.different(one) === cells.count
  return findHeader(headers.filter(isOne), meanings.id)
}

function guessTexts(headers: readonly string[], cells: Cells) {
  // The first rows may leave a column blank that has the text of most others.
  const isRead = (one: string) => cells.count === 0 || cells.told(one) > 0
  const texts = headers.filter(isRead)
  const isFull = (one: string) => cells.filled(one) * 2 >= cells.count
  const memo =
    findTold(texts.filter(isFull), { meaning: meanings.memo, cells }) ||
    findHeader(texts, meanings.memo)
  const parties = texts.filter((one) => one !== memo && isParty(one, cells))
  const merchant = findTold(parties, { meaning: meanings.merchant, cells })
  const own = texts.filter((one) => !ofKind.test(one) && !ofOwnAccount.test(one))
  const [longest = headers[0] ?? ''] = [own, texts].flatMap((group) =>
    group.toSorted((one, other) => cells.told(other) - cells.told(one)),
  )
  const text = memo || merchant || longest
  return { memo: text, merchant: merchant === text ? '' : merchant }
}

function isParty(header: string, cells: Cells): boolean {
  const isSame = cells.count >= sameMin && cells.different(header) === 1
  const isOwn = ofOwnAccount.test(header) || ofMethod.test(header)
  return !isSame && !isOwn && !cells.areIbans(header)
}

/** Returns a header of the meaning, unless the cells of another one tell far more. */
function findTold(
  headers: readonly string[],
  { meaning, cells }: { meaning: RegExp; cells: Cells },
): string {
  const named = headers.filter((one) => meaning.test(one))
  const most = Math.max(...named.map((one) => cells.told(one)))
  return findHeader(
    named.filter((one) => cells.told(one) * toldBy >= most),
    meaning,
  )
}
