// Reads answers of Plaid without the product's code, to check what a sync has stored.
import { exactJson, isDecimal, type Readable } from './feed-oracle.ts'

/** A transaction or balance that an answer contains, with Plaid's ID of its bank account. */
export interface PlaidReadable extends Readable {
  accountId: unknown
}

/** Returns the transactions and balances that a client could take from a body. */
export function readablesIn(body: string): PlaidReadable[] {
  const answer = Object(exactJson(body))
  const rows = ['added', 'modified', 'transactions'].flatMap((name) => listOf(answer[name]))
  return [
    ...rows.flatMap((row) => (isDay(row.date) ? readable(row, row, [row.amount]) : [])),
    ...listOf(answer.accounts).flatMap((row) => {
      const balances = Object(row.balances)
      return readable({ ...row, date: '' }, balances, [balances.current, balances.available])
    }),
  ]
}

type Row = Record<string, unknown>

function listOf(rows: unknown): Row[] {
  return Array.isArray(rows) ? rows.map((row) => Object(row)) : []
}

/** Returns no row in a currency outside of ISO 4217. */
function readable(row: Row, money: Row, amounts: unknown[]): PlaidReadable[] {
  const currency = codeOf(money.iso_currency_code)
  if (currency === '' && codeOf(money.unofficial_currency_code) !== '') return []
  const { account_id: accountId, date } = row
  return amounts.flatMap((amount) =>
    isDecimal(amount) ? [{ accountId, amount, currency, date: String(date) }] : [],
  )
}

function codeOf(code: unknown): string {
  return typeof code === 'string' ? code.replace(/[\p{C}\p{Z}\ufffd]/gu, '').toUpperCase() : ''
}

/** Returns whether a value is a day from 1970 on, and not in the far future. */
function isDay(value: unknown): value is string {
  if (typeof value !== 'string' || !/^\d{4}-\d{2}-\d{2}$/.test(value)) return false
  const lastDay = new Date(Date.now() + 367 * 86_400_000).toISOString().slice(0, 10)
  return value >= '1970-01-01' && value <= lastDay
}
