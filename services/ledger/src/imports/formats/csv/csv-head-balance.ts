import { say } from '@coffer/kit/reasons/reasons'
import { dayNumber, endOfDay } from '@coffer/kit/values/day'
import { type AmountNotation, readWrittenAmount } from '../amounts/amount-text.ts'
import { createDayParser, detectDayFormat } from '../day-format.ts'
import type { DayOrder } from '../day-text.ts'
import { type FileBalances, noBalances } from '../statement.ts'
import { foldName, namesIn } from './csv-roles.ts'
import type { CsvLine } from './csv-table.ts'

/** A label of a dated balance, such as `Kontostand vom 31.12.2026:`. */
const DATED =
  /^(\p{L}+) (?:vom|per|zum|am|on|at|as of|le|au|al|del|a|op) (\d[\d./-]+\d|\d.*\d{4}):?$/iu
const WORDS = namesIn(['kontostand, saldo, balance, solde, kontosaldo'])

/**
 * Returns the dated balance above the header, if exactly one line states one. A balance older than
 * the newest row is an opening balance, so it is omitted. `newestDay` is the midnight of that
 * row's day.
 */
export function findHeadBalance(
  above: readonly CsvLine[],
  settings: AmountNotation & { order: DayOrder; timezone: string; newestDay: number | null },
): FileBalances {
  const stated = above.flatMap(({ cells }) => balanceIn(cells, settings))
  const [only] = stated
  if (only === undefined || stated.length > 1) return noBalances
  const isOlder = only.asOf.getTime() < (settings.newestDay ?? 0)
  return isOlder ? { ...noBalances, note: say('BALANCE_OLDER') } : { ...noBalances, ...only }
}

function balanceIn(
  cells: readonly string[],
  settings: AmountNotation & { order: DayOrder; timezone: string },
) {
  const [label = '', amount = ''] = cells.filter((cell) => cell !== '')
  const [, word = '', text = ''] = DATED.exec(label) ?? []
  const current = WORDS.has(foldName(word)) ? readWrittenAmount(amount, settings) : null
  const format = detectDayFormat([text], settings.order)?.format
  const day = format === undefined ? null : createDayParser(format)(text)
  const number = day && dayNumber(day)
  if (current === null || number === null) return []
  return [{ current, asOf: new Date(endOfDay(number, settings.timezone)) }]
}
