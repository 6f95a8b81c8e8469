import { type Proof, proveByBalance } from './balance-proof.ts'
import type { Cells, Evidence } from './cells.ts'
import type { Columns } from './column-mapping.ts'
import { findWords } from './direction-words.ts'
import { exactHeader, findHeader } from './headers.ts'

/** Words in headers by the role of a column; the cells must fit the role, too. */
const meanings = {
  amount: new RegExp(
    'amount|betrag|montant|importe|importo|bedrag|belopp|beløb|kwota|suma|summa|сумма|金额|valor|' +
      'net|gross|money|umsatz|value|částka|összeg|金額|금액',
    'i',
  ),
  debits: new RegExp(
    'debit|débit|debet|soll|withdrawal|outflow|money out|paid out|cargo|charge|funds out|' +
      'ut fra|belastung|afschrijving|obciążenia|isplat|支払|出金|支出|출금|расход',
    'i',
  ),
  credits: new RegExp(
    'credit|crédit|kredit|haben|deposit|inflow|money in|paid in|abono|funds in|' +
      'inn på|gutschrift|bijschrijving|uznania|uplat|預.?り|預入|入金|存入|收入|입금|приход',
    'i',
  ),
  balance: new RegExp(
    'balance|saldo|solde|kontostand|zostat|zůstat|egyenleg|bakiye|υπόλοιπο|остаток|jääk|' +
      'likutis|atlikums|sold |stanje|残高|余额|잔액',
    'i',
  ),
} as const

/**
 * Headers of numbers that are not the booked amount: amounts in the shop's currency, fees, taxes
 * and limits.
 */
const otherAmount = /original|foreign|fremd|ursp|local|fee|tax|shipping|insurance|geb[uü]|limit/i
/** Headers of amounts with or after fees, which are amounts of the payment itself. */
const withFees = /incl|inkl|after|nach/i
/** Headers of amounts in the bank account's currency. */
const ofAccount = new RegExp(
  'account currency|kontow[äa]|měně účtu|валют\\S* (?:сч[её]та|карты)|walucie rachunku|' +
    'sąskaitos valiut|konta valūt|konto valuut|rekeningvaluta|kontovaluta|валюті (?:рах|карт)|' +
    'devise du compte|(?:moneda|divisa) de (?:la )?cuenta|valuta (?:del )?conto',
  'i',
)
/** Headers of columns in which "debit" and "credit" denote kinds of cards, not directions. */
const ofCards = /card|karte|funding/i
const fees = /fee|geb[uü]h|entgelt|frais|comis|commis|provision/i
const beforeFees = /gross|brut|lordo/i
/** Headers of numbers that are no amounts of the account: exchange rates, points, rewards. */
const noMoney = new RegExp(
  String.raw`(?<!\p{L})(?:rates?|points?|fx)(?!\p{L})|exchange.?rate|kurs|koers|kurz|taux|` +
    'cambio|tasso|árfolyam|курс|汇率|レート|환율|punkte|cash.?back|reward|bonus',
  'iu',
)

export type Amounts = Omit<Columns, 'date' | 'format' | 'memo' | 'merchant' | 'id'>

const open: Amounts = {
  amountKind: 'sign',
  amount: '',
  debits: '',
  credits: '',
  direction: '',
  debitWord: '',
  creditWord: '',
  out: '',
  balance: '',
}

/**
 * Returns the columns of amounts and of the balance: those whose amounts explain the changes of the
 * balance, else by the headers of columns with amounts. Fields are '' if the file is ambiguous: the
 * direction of money is never guessed.
 */
export function guessAmounts(
  all: readonly string[],
  cells: Cells,
  { date, currency = '', isDebt = false }: Evidence & { date: string },
): Amounts {
  const headers = all.filter((one) => !noMoney.test(one))
  const numbers = headers.filter((one) => cells.count === 0 || cells.isAmounts(one))
  const hasFees = headers.some((one) => fees.test(one) && !withFees.test(one))
  const rankOf = (one: string) => (hasFees && beforeFees.test(one) ? 1 : placeOf(one, cells))
  const ranked = numbers.toSorted((one, other) => rankOf(one) - rankOf(other))
  const words = headers.filter((one) => cells.different(one) === 2 && !numbers.includes(one))
  // The balance of a card or loan proves no direction: it may be the debt, which purchases
  // increase.
  const proofs = isDebt ? [] : proveByBalance(cells, { numbers: ranked, words, date })
  const proof = soleProof(byNames(proofs), { cells, rankOf })
  const pair = pairByNames(headers, cells)
  // The proven column may be one of a debit and credit pair whose other column is blank so far. It
  // is then no column of signed amounts.
  const isOfPair = proof?.kind === 'sign' && [pair?.debits, pair?.credits].includes(proof.amount)
  if (proof?.kind === 'sign' && !isOfPair) {
    const { balance, amount, out } = proof
    const size = cells.amounts(amount)
    // The oldest row, the first or the last of the file, has no balance before it, so the balances
    // do not prove whether it is a payment or a deposit. If a column of words such as `Debit` has
    // one of its two words in that row only, the words decide the directions.
    const isWorded = !size.some((one) => one < 0) && words.some((one) => cells.isOnceAtEnd(one))
    const direction = isWorded ? directionOf(amount, { headers, cells, isDebt }) : { out }
    return { ...open, balance, amount, ...direction }
  }
  if (proof && proof.kind !== 'sign') {
    const { kind: amountKind, ...found } = proof
    return { ...open, ...found, amountKind }
  }
  const balance = findHeader(numbers, meanings.balance)
  const rest = headers.filter((one) => one !== balance)
  if (pair) return { ...open, ...pair, balance, amountKind: 'column' }
  const others = numbers.filter((one) => one !== balance)
  const named = amountByName(others, { cells, currency })
  const apart = named === '' ? pairByCells(ranked, { cells, isDebt }) : null
  if (apart) return { ...open, ...apart, balance, amountKind: 'column' }
  const own = others.filter((one) => !isOther(one))
  // If another column is named like an amount, but in a foreign currency, a column without such a
  // name is not taken for the amount.
  const isSure = others.every((one) => own.includes(one) || !meanings.amount.test(one))
  const amount = named || (isSure ? soleOf(own, cells) || besideCodes(own, cells) : '')
  return { ...open, balance, amount, ...directionOf(amount, { headers: rest, cells, isDebt }) }
}

function isOther(header: string): boolean {
  return otherAmount.test(header) && !withFees.test(header)
}

/** Returns the proofs whose balance has the name of one, if there are any: few rows prove both. */
function byNames(proofs: readonly Proof[]): readonly Proof[] {
  const named = proofs.filter(({ balance }) => meanings.balance.test(balance))
  return named.length > 0 ? named : proofs
}

/** Returns the best proof; null if another column of equal rank and fit has different cells. */
function soleProof(
  [first, ...ties]: readonly Proof[],
  { cells, rankOf }: { cells: Cells; rankOf: (header: string) => number },
): Proof | null {
  if (first?.kind !== 'sign') return first ?? null
  const { amount } = first
  const isOpen = ties.some(
    (one) =>
      one.kind === 'sign' &&
      rankOf(one.amount) === rankOf(amount) &&
      soleOf([amount, one.amount], cells) === '',
  )
  return isOpen ? null : first
}

/**
 * Returns how well a numeric column fits as the amount, 0 being the best: 0 if its header names an
 * amount, 1 if it has decimals, 2 without either, 3 if its header names something else.
 */
function placeOf(header: string, cells: Cells): number {
  if (isOther(header)) return 3
  if (meanings.amount.test(header)) return 0
  return cells.haveDecimals(header) ? 1 : 2
}

/**
 * Returns the columns named like debits and credits; null unless there are both, or if a header is
 * exactly "amount".
 */
function pairByNames(headers: readonly string[], cells: Cells) {
  const numeric = headers.filter((one) => cells.filled(one) === 0 || cells.isNumbers(one))
  const debits = findHeader(numeric, meanings.debits)
  const credits = findHeader(
    numeric.filter((one) => one !== debits),
    meanings.credits,
  )
  const sole = exactHeader(
    headers.filter((one) => cells.isAmounts(one)),
    meanings.amount,
  )
  const isPair = debits !== '' && credits !== '' && cells.areApart(debits, credits)
  return isPair && sole === '' ? { debits, credits } : null
}

/** Returns the column named like amounts; '' if there are several with different cells. */
function amountByName(
  headers: readonly string[],
  { cells, currency }: { cells: Cells; currency: string },
): string {
  const own = headers.filter((one) => !isOther(one) && meanings.amount.test(one))
  // Only the fullest columns count, because amounts in a shop's currency are blank in rows of the
  // account's own currency.
  const most = Math.max(...own.map((one) => cells.filled(one)))
  const full = own.filter((one) => cells.filled(one) === most)
  const isOwn = (one: string) =>
    ofAccount.test(one) || (currency !== '' && one.split(/[^A-Z]+/).includes(currency))
  // Beside an `Amount including fees` or one in the account's currency, `Amount` may not be the
  // booked amount, so an exact name does not decide.
  const isOpen = full.some((one) => withFees.test(one) || ofAccount.test(one))
  const exact = isOpen ? '' : exactHeader(full, meanings.amount)
  return exact || soleOf(full.filter(isOwn), cells) || soleOf(full, cells)
}

/** Returns the first of some columns if all have equal cells; else '', because it is ambiguous. */
function soleOf([first = '', ...others]: readonly string[], cells: Cells): string {
  const textOf = (one: string) => cells.of(one).join('\n')
  return others.every((one) => textOf(one) === textOf(first)) ? first : ''
}

/** Returns the only column of decimals with a minus, if all others are integers, such as codes. */
function besideCodes(headers: readonly string[], cells: Cells): string {
  const isMinus = (size: number) => size < 0
  const written = headers.filter(
    (one) => cells.haveDecimals(one) || cells.amounts(one).some(isMinus),
  )
  const [first = ''] = written
  const isOne = written.length === 1 && cells.haveDecimals(first)
  return isOne && cells.amounts(first).some(isMinus) ? first : ''
}

/**
 * Returns how the direction of an amount is stated: by a minus, or by a word in another column.
 * `out` is '' (the user decides) unless most amounts have a minus; for cards and loans, unless all
 * have one, because banks differ in the sign of purchases.
 */
export function directionOf(
  amount: string,
  { headers, cells, isDebt }: { headers: readonly string[]; cells: Cells; isDebt: boolean },
): Pick<Partial<Amounts>, 'amountKind' | 'direction' | 'debitWord' | 'creditWord' | 'out'> {
  const amounts = cells.amounts(amount)
  const minus = amounts.filter((one) => one < 0).length
  const plain = amounts.filter((one) => one > 0).length
  if (cells.haveWords(amount)) return { out: 'minus' }
  const mostLeave = minus > plain && (plain === 0 || !isDebt) ? 'minus' : ''
  for (const direction of headers.filter((one) => !ofCards.test(one))) {
    const texts = cells.of(direction)
    const words = findWords(texts)
    if (words === null) continue
    if (minus === 0) return { amountKind: 'type', direction, ...words }
    // Some amounts have a minus: the words then tell whether it means a debit. Words of one or two
    // letters do not, as they may be kinds of payments, such as C for cards.
    if (cells.different(direction) < 2 || words.debitWord.length < 3) continue
    const isOut = (row: number) => texts[row] === words.debitWord
    const signs = new Set(amounts.map((size, row) => Math.sign(isOut(row) ? size : -size)))
    if (!signs.has(1)) return { out: 'minus' }
    if (!signs.has(-1)) return { out: 'plain' }
  }
  return { out: mostLeave }
}

/**
 * Finds two columns of which each row fills exactly one; the one with negative amounts has the
 * debits. Returns an empty object if the direction is open, null without such columns.
 */
function pairByCells(
  numbers: readonly string[],
  { cells, isDebt }: { cells: Cells; isDebt: boolean },
): Partial<Amounts> | null {
  for (const one of numbers) {
    const other = numbers.find((another) => cells.areTogether(one, another))
    if (other === undefined) continue
    const [isOut, isOtherOut] = [one, other].map((column) =>
      cells.amounts(column).every((size) => size <= 0),
    )
    if (isOut === isOtherOut || isDebt) return {}
    return isOut ? { debits: one, credits: other } : { debits: other, credits: one }
  }
  return null
}
