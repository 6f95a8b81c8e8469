import { say } from '@coffer/kit/reasons/reasons'
import { currencies, decimalPlaces } from '@coffer/kit/values/currency'
import { endOfDay, readDay } from '@coffer/kit/values/day'
import { fullYear } from '../day-text.ts'
import { type FileAccount, groupByAccount } from '../file-accounts.ts'
import { placeOf } from '../row-place.ts'
import {
  type FileBalances,
  type FileStatement,
  latestOf,
  noBalances,
  type ReadingSettings,
  type Unreadable,
  unknownCurrency,
} from '../statement.ts'
import { type FoundRow, nameRows, noteUnread } from '../statement-rows.ts'
import { readAmount, rowsMax } from '../statement-values.ts'
import { decodeFile, encodingOf } from '../text/file-text.ts'
import { type MtMessage, readMtMessages } from './mt940-fields.ts'
import { readMtEntry } from './mt940-rows.ts'

const BALANCE = /^([CD])(\d\d)(\d\d)(\d\d)([A-Z]{3})(\d*[.,][\d.,]*)$/

/** A line break at the end of a file, without which the last line may be cut. */
const LINE_END = /(?:[\r\n]|@@)-?\}?\s*$/

/**
 * Returns the bank accounts of an MT940 or MT942 file (docs/file-formats.md#mt940-and-mt942);
 * unreadable rows are in `skipped`. Returns `Unreadable` for a file without a statement.
 */
export function readMt940Accounts(
  bytes: Uint8Array,
  settings: ReadingSettings,
): FileAccount[] | Unreadable {
  const encoding = encodingOf(bytes, settings.stated?.encoding)
  const text = decodeFile(bytes, encoding.value)
  const all = readMtMessages(text)
  const messages = all.filter((one) => isStatement(one) || one.entries.length > 0)
  if (messages.length === 0) {
    return { unreadable: say('FILE_NO_STATEMENT', { formats: 'MT940 or MT942' }) }
  }
  if (isCut(messages, text)) return { unreadable: say('FILE_CUT') }
  if (countEntries(messages) > rowsMax) {
    return { unreadable: say('FILE_ROWS', { max: rowsMax }) }
  }
  const isOpenEnded = mayBeCut(all, text)
  const stated = new Map<string, string>()
  for (const one of messages) stated.set(accountOf(one), currencyOf(one) ?? '')
  const groups = groupByAccount(messages, (one) => {
    const number = accountOf(one)
    const currency = currencyOf(one) || stated.get(number) || settings.currency
    return { number, kind: null, currency }
  })
  return groups.map(({ parts, ...account }) => ({
    ...account,
    rowCount: countEntries(parts),
    read: () =>
      currencies().includes(account.currency)
        ? {
            ...readMessages(parts, { ...settings, currency: account.currency }),
            choices: [encoding],
            isOpenEnded,
          }
        : unknownCurrency,
  }))
}

function readMessages(messages: readonly MtMessage[], settings: ReadingSettings): FileStatement {
  const { currency, timezone } = settings
  const places = decimalPlaces(currency)
  return {
    currency,
    balances: latestOf(messages.map((one) => readBalances(one, { places, timezone }))),
    ...nameRows(findRows(messages, { places, timezone })),
  }
}

function* findRows(
  messages: readonly MtMessage[],
  settings: { places: number; timezone: string },
): Generator<FoundRow> {
  const hasStatement = messages.some(isStatement)
  for (const message of messages) {
    const isInterim = hasStatement && !isStatement(message)
    for (const entry of message.entries) {
      const place = () => placeOf(entry.at, [...entry.lines, ...entry.texts].join(' '))
      yield { ...readMtEntry(entry, { ...settings, isInterim }), place }
    }
  }
}

function countEntries(messages: readonly MtMessage[]): number {
  return messages.reduce((sum, { entries }) => sum + entries.length, 0)
}

function accountOf(message: MtMessage): string {
  return (message.account ?? '').replaceAll(' ', '')
}

/** Returns whether a message is an MT940, which has balances; an MT942 has none. */
function isStatement({ balance }: MtMessage): boolean {
  return balance !== null
}

/**
 * Returns whether a message of the file is truncated: it has an opening balance, but no closing
 * one. Some programs never write closing balances, so a file of several messages that all lack them
 * is complete if its last line is.
 */
function isCut(messages: readonly MtMessage[], text: string): boolean {
  const open = messages.filter(({ opening, ending }) => opening !== null && ending === null)
  const isDialect = open.length > 1 && messages.every(({ ending }) => ending === null)
  return open.length > 0 && !(isDialect && LINE_END.test(text))
}

/**
 * Returns whether a file may be truncated. The last message of an MT940 then lacks its closing
 * balance (`:62F:`). The last message of an MT942 then lacks the optional sums at its end, and has
 * only its head, follows messages with sums, or has an open last line or envelope.
 */
function mayBeCut(messages: readonly MtMessage[], text: string): boolean {
  const last = messages.at(-1)
  if (last === undefined || last.sums !== null) return false
  if (isStatement(last)) return last.closing === null
  const isHead = last.floor === null && last.entries.length === 0
  const haveSums = messages.some(({ sums }) => sums !== null)
  const isOpen = text.lastIndexOf('{4:') > text.lastIndexOf('-}') || !LINE_END.test(text)
  return isHead || haveSums || isOpen
}

function currencyOf({ balance, floor, sums }: MtMessage): string | undefined {
  const ofBalance = BALANCE.exec(balance ?? '')?.[5]
  const ofFloor = /^([A-Z]{3})/.exec(floor ?? '')?.[1]
  return ofBalance ?? ofFloor ?? /^\d*([A-Z]{3})/.exec(sums ?? '')?.[1]
}

/** Returns closing and available balance. Balances between pages (`:62M:`) are ignored. */
function readBalances(
  message: MtMessage,
  settings: { places: number; timezone: string },
): FileBalances {
  const booked = readBalance(message.closing, settings)
  const available = readBalance(message.available, settings)
  return {
    ...noBalances,
    current: booked?.amount ?? null,
    available: available?.amount ?? null,
    asOf: booked?.asOf ?? available?.asOf ?? null,
    availableAsOf: available?.asOf ?? null,
    ...noteUnread([
      { text: message.closing ?? '', amount: booked?.amount ?? null },
      { text: message.available ?? '', amount: available?.amount ?? null },
    ]),
  }
}

function readBalance(
  text: string | null,
  { places, timezone }: { places: number; timezone: string },
): { amount: bigint; asOf: Date } | null {
  const [, mark, year, month, date, , digits = ''] = BALANCE.exec(text ?? '') ?? []
  const amount = readAmount(digits, places)
  const day = readDay(`${fullYear(Number(year))}-${month}-${date}`)
  if (amount === null || day === null) return null
  return { amount: mark === 'D' ? -amount : amount, asOf: new Date(endOfDay(day, timezone)) }
}
