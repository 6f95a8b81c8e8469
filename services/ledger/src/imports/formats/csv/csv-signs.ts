import { say } from '@coffer/kit/reasons/reasons'
import type { MadeChoice, Unreadable } from '../statement.ts'
import { cut } from '../statement-rows.ts'
import { type CsvCells, type CsvSettings, readAmountAt, signOf } from './csv-rows.ts'

/** Number of debits, or of credits, by their sign, and the first amount with each sign. */
type Count = { name: string; plus: number; minus: number; first: { plus: string; minus: string } }

type Signs = CsvSettings['signs']

/** Minimum ratio of amounts with a minus to amounts without: then minus is the usual sign. */
const MOST = 4

/** The default: debits and credits usually have no minus. */
export const plainSigns: Signs = [1n, 1n]

/**
 * Returns the usual signs of debits and credits: stated by the client, else the signs that fit most
 * balances, else those of most amounts. If an amount has a minus, also returns this choice. Asks
 * for `minusReverses` if a minus may be both a payment and a refund.
 */
export function chooseSigns(
  rows: Iterable<CsvCells>,
  of: {
    rowSettings: CsvSettings
    stated: boolean | undefined
    countMoved: (signs: Signs) => number
  },
): { signs: Signs; choices?: MadeChoice[] } | Unreadable {
  const { rowSettings, stated, countMoved } = of
  const { mapping } = rowSettings
  const counts = mapping.amount.kind === 'sign' ? [] : countSigns(rows, rowSettings)
  const [debits, credits] = counts
  const shown = counts.find(({ minus }) => minus > 0)
  if (debits === undefined || credits === undefined || shown === undefined) {
    return { signs: plainSigns }
  }
  const made = (signs: Signs, reason: string) => {
    const value = String(signs[counts.indexOf(shown)] === 1n)
    return { signs, choices: [{ choice: 'minusReverses' as const, value, reason }] }
  }
  if (stated !== undefined) {
    return made(stated ? plainSigns : directedSigns(debits, credits), say('CHOICE_STATED'))
  }
  const guess = [guessSign(debits, credits), guessSign(credits, debits)]
  const tried = possible(debits).flatMap((out) =>
    possible(credits).map((into): Signs => [out, into]),
  )
  const moved = tried.map((one) => (mapping.balance.kind === 'field' ? countMoved(one) : 0))
  const best = tried.filter((_, at) => moved[at] === Math.max(...moved))
  const fitting = best.filter((one) => one.every((sign, at) => (guess[at] ?? sign) === sign))
  const [only, other] = fitting.length > 0 ? fitting : best
  if (only === undefined || other !== undefined) {
    const open = counts[guess.indexOf(null)] ?? shown
    const text = cut(open.first.minus, 60)
    return { unreadable: say('SIGNS_UNCLEAR', { name: cut(open.name, 60), text }) }
  }
  return made(only, best.length < tried.length ? say('SIGNS_MOVED') : reasonOf(shown))
}

/** Counts debits and credits by their sign: in two columns, or by words for debit and credit. */
function countSigns(rows: Iterable<CsvCells>, rowSettings: CsvSettings): Count[] {
  const { amount } = rowSettings.mapping
  const [first, second] = amount.fields
  const isType = amount.kind === 'type'
  const names = isType ? [amount.debit, amount.credit] : [first?.name, second?.name]
  const counts = names.map(
    (name = ''): Count => ({ name, plus: 0, minus: 0, first: { plus: '', minus: '' } }),
  )
  for (const row of rows) {
    const word = isType && second ? signOf(row.at(second), rowSettings.mapping) : null
    for (const [at, count] of counts.entries()) {
      if (isType && word !== (at === 0 ? 1n : -1n)) continue
      const ref = isType ? first : amount.fields[at]
      const read = readAmountAt(row, ref, rowSettings) ?? 0n
      if (read === 0n) continue
      const sign = read < 0n ? 'minus' : 'plus'
      count[sign] += 1
      count.first[sign] ||= ref ? row.at(ref) : ''
    }
  }
  return counts
}

/** Returns the usual signs if a minus denotes the direction, not a reversal. */
function directedSigns(debits: Count, credits: Count): Signs {
  const hasOut = debits.minus > 0
  const hasIn = credits.minus > 0 && (!hasOut || credits.plus === 0)
  return [hasOut ? -1n : 1n, hasIn ? -1n : 1n]
}

/** Returns the usual sign of debits, or of credits, by its frequency; null if ambiguous. */
function guessSign({ plus, minus }: Count, other: Count): bigint | null {
  if (minus === 0) return 1n
  if (plus === 0) return -1n
  // If all amounts of the other direction have a minus, a minus here is a reversal.
  const isOpposite = other.plus === 0 && other.minus > 0
  if (plus > minus || isOpposite) return 1n
  return minus >= MOST * plus ? -1n : null
}

/** Returns the possible usual signs of debits, or of credits. */
function possible({ minus }: Count): bigint[] {
  return minus === 0 ? [1n] : [1n, -1n]
}

function reasonOf({ name, plus, minus, first }: Count): string {
  const text = cut(plus > minus ? first.plus : first.minus, 60)
  return say(plus === 0 ? 'SIGNS_ALIKE' : 'SIGNS_MOST', { name: cut(name, 60), text })
}
