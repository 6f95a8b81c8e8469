import type { Day } from '@coffer/kit/values/day'
import { magnitudeOf } from '../../../book/money.ts'
import { type AmountNotation, directionBehind, readWrittenAmount } from '../amounts/amount-text.ts'
import { statesOther } from '../amounts/currency-symbols.ts'
import { namesBalance } from '../balance-words.ts'
import type { SkippedRow, SkipReason } from '../statement.ts'
import { namesOf, type UnnamedRow } from '../statement-rows.ts'
import { dayInContents, midnightOn } from '../statement-values.ts'
import { isOtherCurrency } from './csv-currency.ts'
import { columnsOf } from './csv-layout.ts'
import { type CsvMapping, type FieldRef, isUnnamed } from './csv-mapping.ts'
import { type Parties, stateOf } from './csv-roles.ts'

/** The offset of 64-bit FNV-1 as two 32-bit halves, and the prime without its bit 40. */
const OFFSET = [0xcbf29ce4, 0x84222325] as const
const PRIME_LOW = 0x1b3
const HALF = 2 ** 32
const encoder = new TextEncoder()
const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

/**
 * A row below a header of `columns` names. `at` returns a field's text, '' without a cell; `behind`
 * returns the index of the cell after a field.
 */
export type CsvCells = {
  cells: readonly string[]
  columns: number
  at: (ref: FieldRef) => string
  behind: (ref: FieldRef) => number
}

export type CsvSettings = AmountNotation & {
  mapping: CsvMapping
  /** The column that states the currency of a row, if any. */
  currencyColumn: FieldRef | null
  /** The columns with the currencies of debits and of credits; empty if they have none each. */
  currencyPair: readonly FieldRef[]
  /** The columns with the state of a payment; empty if the mapping has `posted`. */
  states: readonly FieldRef[]
  /** The columns of payer and payee, if the mapping takes the name from one of them. */
  parties: Parties | null
  /**
   * For the kinds `column` and `type`: the usual signs of debits and of credits. An amount with the
   * opposite sign reverses the direction.
   */
  signs: readonly [debits: bigint, credits: bigint]
  /**
   * The column of fees, if they are charged on top of the amount. `cost` is the sign of a charged
   * fee: the opposite sign is a refund. `sender`: only money that leaves has a fee, in either sign.
   */
  fees: { column: FieldRef; cost: 'minus' | 'plus' | 'either' | 'sender' } | null
  readDay: (text: string) => Day | null
  timezone: string
}

/**
 * A transaction of a CSV file; its identifier may be a hash of fields (`isHashed`). `balance` is
 * the bank account's balance after the transaction in minor units; null if `balanceText`, the cell,
 * is empty or no amount.
 */
export type CsvRow = UnnamedRow & {
  isHashed: boolean
  balance: bigint | null
  balanceText: string
}

/** Returns the transaction in a CSV row by the mapping, or the reason why the row is skipped. */
export function readCsvRow(line: CsvCells, settings: CsvSettings): CsvRow | SkippedRow {
  const { mapping, readDay, timezone } = settings
  const values = mapping.id.fields.map(line.at)
  const skipped = (reason: SkipReason) => ({ identifier: values.join('::'), reason })
  if (isTooWide(line, settings)) return skipped('columns')
  if (isInOther(line, settings)) return skipped('currency')
  const states = settings.states.map((ref) => stateOf(line.at(ref)))
  if (states.includes('failed')) return skipped('pending')
  const without = readCsvAmount(line, settings)
  if (typeof without === 'string') return skipped(without)
  const amount = without + readFee(line, settings, without)
  if (amount === 0n) return skipped('zero')
  const day = readDay(textOf(line, mapping.date.fields))
  const date = day === null ? null : midnightOn(day, timezone)
  if (day === null || date === null) return skipped('date')
  if (values.every((value) => value === '')) return skipped('identifier')
  const { posted, balance } = mapping
  const balanceText = balance.kind === 'field' ? textOf(line, balance.fields) : ''
  const isHashed = mapping.id.kind === 'hashed'
  const names = namesOf({
    name: unescaped(nameIn(line, settings, amount)),
    memo: unescaped(line.at(mapping.memo)),
    description: 'Transaction',
  })
  if (namesBalance(names.name) || isBalance(line, mapping)) return skipped('balance')
  const identifier = isHashed ? base32(fnv1(values.join('::'))) : values.join('::')
  const isReusable = !isHashed && posted === undefined
  const written = [identifier, dayInContents(day), without, names.name, names.originalName].join(
    ' ',
  )
  return {
    identifier,
    isHashed,
    // Rows of one identifier are told apart by contents, but not if the mapping has `posted`: the
    // contents of a pending row and of its posted row differ, although both are one transaction.
    ...(isReusable ? { content: written, isReusable } : {}),
    balance: balanceText === '' ? null : readWrittenAmount(balanceText, settings),
    balanceText,
    row: {
      amount,
      date,
      ...names,
      isPending:
        posted === undefined
          ? states.includes('waiting')
          : textOf(line, posted.fields) !== posted.posted,
    },
  }
}

/** Returns whether a row is wider than the header, apart from a cell `CR` or `DR` at its end. */
function isTooWide(line: CsvCells, settings: CsvSettings): boolean {
  const moreCount = columnsOf(line.cells) - line.columns
  if (moreCount !== 1) return moreCount > 1
  const { kind, fields } = settings.mapping.amount
  const [amount] = kind === 'sign' ? fields : []
  const isLast = amount !== undefined && line.behind(amount) === line.columns
  return !isLast || directionAlone(line, amount, settings) === null
}

/** Returns the name of the other party: the payer of a deposit, else the payee. */
function nameIn({ at }: CsvCells, { mapping, parties }: CsvSettings, amount: bigint): string {
  if (parties !== null) return at(amount < 0n ? parties.payer : parties.payee)
  return mapping.merchant === undefined ? '' : at(mapping.merchant)
}

/** Returns whether a row has another currency: in the currency column, else next to the amount. */
function isInOther({ at, behind, cells }: CsvCells, settings: CsvSettings): boolean {
  const { currency, currencyColumn, currencyPair, mapping } = settings
  if (currencyPair.length > 0) {
    const filled = mapping.amount.fields.flatMap((ref, place) =>
      /[1-9]/.test(at(ref)) ? place : [],
    )
    return filled.length > 0 && filled.every((place) => isOtherSide({ at }, place, settings))
  }
  if (currencyColumn !== null) return isOtherCurrency(at(currencyColumn), currency)
  const [amount] = mapping.amount.fields
  if (amount === undefined || !isUnnamed(amount)) return false
  const next = behind(amount)
  const codes = [cells[next - 2] ?? '', cells[next] ?? ''].filter((cell) => /^[A-Z]{3}$/.test(cell))
  return codes.some((code) => statesOther(code, currency)) && !codes.includes(currency)
}

/** Returns whether the debits, or the credits, of a row are in another currency. */
function isOtherSide({ at }: Pick<CsvCells, 'at'>, place: number, settings: CsvSettings): boolean {
  const column = settings.currencyPair[place]
  return column !== undefined && isOtherCurrency(at(column), settings.currency)
}

/**
 * Returns whether a row is a balance line instead of a transaction: a word for a balance is in the
 * column of the other party or, if that and the memo are blank, in any column.
 */
function isBalance({ at, cells }: CsvCells, { memo, merchant }: CsvMapping): boolean {
  const party = merchant === undefined ? '' : at(merchant)
  return namesBalance(party) || (party === '' && at(memo) === '' && cells.some(namesBalance))
}

/**
 * Returns the amount of a row in minor units, positive if money leaves the account
 * (docs/files.md#csv-mappings), or the reason why the row is skipped.
 */
function readCsvAmount(line: CsvCells, settings: CsvSettings): bigint | SkipReason {
  const { kind, invert, fields } = settings.mapping.amount
  const [first, second] = fields
  const amount = kind === 'column' ? readColumns(line, settings) : readField(line, first, settings)
  if (typeof amount === 'string') return amount
  const direction = kind === 'sign' && first ? directionOf(line, first, settings) : null
  // A word for debit or credit decides the direction alone: sign and `invert` are ignored.
  if (direction !== null) return direction === 'DR' ? magnitudeOf(amount) : -magnitudeOf(amount)
  const sign = kind === 'type' ? signOf(second ? line.at(second) : '', settings.mapping) : 1n
  if (sign === null) return 'direction'
  const [debitSign, creditSign] = settings.signs
  const usual = sign === 1n ? debitSign : creditSign
  return amount * sign * (kind === 'type' ? usual : 1n) * (invert ? -1n : 1n)
}

/** Returns the direction from a word after the amount, in the same or in the next cell. */
function directionOf(line: CsvCells, ref: FieldRef, settings: CsvSettings): 'DR' | 'CR' | null {
  return directionBehind(line.at(ref), settings.currency) ?? directionAlone(line, ref, settings)
}

function directionAlone(
  { cells, behind }: CsvCells,
  ref: FieldRef,
  { currency }: CsvSettings,
): 'DR' | 'CR' | null {
  const next = cells[behind(ref)] ?? ''
  return /^[A-Z]{2}\.?$/i.test(next) ? directionBehind(next, currency) : null
}

function readColumns(line: CsvCells, settings: CsvSettings): bigint | SkipReason {
  const [debit = 'amount', credit = 'amount'] = settings.mapping.amount.fields.map((ref, place) =>
    line.at(ref) === '' || isOtherSide(line, place, settings) ? 0n : readField(line, ref, settings),
  )
  if (typeof debit === 'string') return debit
  if (typeof credit === 'string') return credit
  if (debit !== 0n && credit !== 0n) return 'direction'
  const [debitSign, creditSign] = settings.signs
  return debit === 0n ? -credit * creditSign : debit * debitSign
}

function readField(
  line: CsvCells,
  ref: FieldRef | undefined,
  settings: CsvSettings,
): bigint | SkipReason {
  const amount = readAmountAt(line, ref, settings)
  if (amount !== null) return amount
  return ref && statesOther(line.at(ref), settings.currency) ? 'currency' : 'amount'
}

/** Returns 1 for the mapping's debit word, -1 for its credit word, null for any other. */
export function signOf(type: string, { amount }: CsvMapping): bigint | null {
  if (type === amount.credit) return -1n
  return type === amount.debit ? 1n : null
}

/** Returns the fee of an amount in minor units: positive if charged, negative if refunded. */
function readFee(line: CsvCells, settings: CsvSettings, amount: bigint): bigint {
  if (settings.fees === null) return 0n
  const { column, cost } = settings.fees
  const fee = readAmountAt(line, column, settings) ?? 0n
  if (cost === 'sender' && amount <= 0n) return 0n
  if (cost === 'either' || cost === 'sender') return magnitudeOf(fee)
  return cost === 'minus' ? -fee : fee
}

export function readAmountAt(
  line: CsvCells,
  ref: FieldRef | undefined,
  settings: CsvSettings,
): bigint | null {
  return ref === undefined ? null : readWrittenAmount(line.at(ref), settings)
}

/**
 * CSV injection: removes the apostrophes that exports insert so that spreadsheets do not run a text
 * as a formula (docs/transactions.md#csv).
 */
function unescaped(text: string): string {
  return text.replace(/(?<=^|[,;])'(?='*[=+\-@＝＋－＠])/gu, '')
}

function textOf(line: CsvCells, [ref]: readonly FieldRef[]): string {
  return ref === undefined ? '' : line.at(ref)
}

/**
 * Returns the 64-bit FNV-1 hash of a text in UTF-8 (draft-eastlake-fnv). The halves are numbers: a
 * bigint for each byte takes three times as long.
 */
export function fnv1(text: string): bigint {
  let [high, low]: [number, number] = [...OFFSET]
  for (const byte of encoder.encode(text)) {
    const product = low * PRIME_LOW
    high = (high * PRIME_LOW + Math.floor(product / HALF) + low * 256) % HALF
    low = ((product % HALF) ^ byte) >>> 0
  }
  return (BigInt(high) << 32n) | BigInt(low)
}

/** Returns 64 bits in base32 with padding (RFC 4648, section 6), most significant bits first. */
export function base32(bits: bigint): string {
  const high = Number(BigInt.asUintN(64, bits) >> 32n)
  const low = Number(BigInt.asUintN(32, bits))
  let characters = ''
  for (let shift = 59; shift > 0; shift -= 5) {
    const value = shift >= 32 ? high >>> (shift - 32) : (low >>> shift) | (high << (32 - shift))
    characters += ALPHABET.charAt(value & 31)
  }
  // 64 bits become 13 characters of five bits each, so one zero bit is appended.
  return `${characters}${ALPHABET.charAt((low & 15) << 1)}===`
}
