import { say } from '@coffer/kit/reasons/reasons'
import { dayNumber, endOfDay } from '@coffer/kit/values/day'
import { type AmountNotation, readWrittenAmount } from '../amounts/amount-text.ts'
import { createDayParser, detectDayFormat } from '../day-format.ts'
import type { DayOrder } from '../day-text.ts'
import { type FileBalances, noBalances } from '../statement.ts'
import { foldName, namesIn } from './csv-roles.ts'
import type { CsvLine } from './csv-table.ts'

/** The label in front of a balance with a day, such as `Kontostand vom 31.12.2026:`. */
const DATED = new RegExp(
  '^(\\p{L}+) (?:(?:vom|per|zum|am|on|at|as of|le|au|al|del|a|op) )?' +
    '(\\d[\\d./-]+\\d|\\d.*\\d{4}):?$',
  'iu',
)
const WORDS = namesIn(['kontostand, saldo, balance, solde, kontosaldo'])
const UNDATED = namesIn([
  'aktueller kontostand, neuer kontostand, current balance, closing balance, ending balance',
  'solde actuel, nouveau solde, saldo actual, saldo final, saldo attuale, saldo finale',
  'saldo atual, account balance, ledger balance, endsaldo, schlusssaldo, eindsaldo, slutsaldo',
  'solde final, solde en fin de periode, sold final, saldo koncowe, konecny zustatek',
  'zaro egyenleg, likutis pabaigai, beigu atlikums, loppsaldo, loppusaldo, utgaende saldo',
])
/** Labels of the last day of a period, on a line of its own. */
const ENDS = namesIn([
  'bis, bis zum, to, to date, end date, until, au, date de fin, hasta, fecha fin, al, data fine',
  'ate, tot, tot en met, til, till, do, έως, по',
])
const DAYS = /\d{1,4}[-./]\d{1,2}[-./]\d{1,4}/g

type Settings = AmountNotation & {
  order: DayOrder
  timezone: string
  /** Midnight of the newest row. */
  newestDay: number | null
}

/**
 * Returns the current balance that the only balance line above the header states, if any. `asOf` is
 * the end of the day in that line, else of the period that another line states. It is null without
 * both, or if the period ends before the newest row. If the day in the balance line is before the
 * newest row, the balance is outdated: returns only a note.
 */
export function findHeadBalance(above: readonly CsvLine[], settings: Settings): FileBalances {
  const stated = above.flatMap(({ cells }) => balanceIn(cells, settings))
  const [only] = stated
  if (only === undefined || stated.length > 1) return noBalances
  const isOld = (day: Date | null) => day !== null && day.getTime() < (settings.newestDay ?? 0)
  if (isOld(only.asOf)) return { ...noBalances, note: say('BALANCE_OLDER') }
  const end = periodEndIn(above, settings)
  const asOf = only.asOf ?? (isOld(end) ? null : end)
  return { ...noBalances, current: only.current, asOf }
}

function balanceIn(cells: readonly string[], settings: Settings) {
  const [label = '', amount = ''] = labelled(cells)
  const [, word = '', text] = DATED.exec(label) ?? [label, label]
  const name = foldName(word)
  const isBalance = WORDS.has(name) || (text === undefined && UNDATED.has(name))
  const current = isBalance ? readWrittenAmount(amount, settings) : null
  const asOf = text === undefined ? null : endOf(text, settings)
  return current === null || asOf === undefined ? [] : [{ current, asOf }]
}

/** Returns the cells that have a text; of a single one, `Saldo: 12,00`, label and value. */
function labelled(cells: readonly string[]): readonly string[] {
  const filled = cells.filter((cell) => cell !== '')
  const [only = ''] = filled
  return filled.length === 1 ? only.split(/(?<=^[^:]*):\s*/) : filled
}

/**
 * Returns the end of the only period: two days in one line, `01.12.2026 - 31.12.2026`, or one day
 * behind a label of ends, `Bis:`.
 */
function periodEndIn(above: readonly CsvLine[], settings: Settings): Date | null {
  const ends = above.flatMap(({ cells }) => {
    const days = cells.join(' ').match(DAYS) ?? []
    const [label = ''] = labelled(cells)
    return days.length === 2 || (days.length === 1 && ENDS.has(foldName(label))) ? days.at(-1) : []
  })
  const [end = ''] = ends
  return ends.length === 1 ? (endOf(end, settings) ?? null) : null
}

/** Returns the last instant of a written day; undefined if it is none. */
function endOf(text: string, { order, timezone }: Settings): Date | undefined {
  const format = detectDayFormat([text], order)?.format
  const day = format === undefined ? null : createDayParser(format)(text)
  const number = day && dayNumber(day)
  return number === null ? undefined : new Date(endOfDay(number, timezone))
}
