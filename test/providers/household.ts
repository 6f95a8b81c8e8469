import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const file = join(import.meta.dirname, '../data/checking.qfx')
const dayMs = 86_400_000

/** A row of a bank account of the household. */
export interface HouseholdRow {
  id: string
  /** Day as YYYY-MM-DD. */
  date: string
  /** Decimal number; positive means money in. */
  amount: string
  merchant: string
  description: string
}

/** Balances before the first rows, in cents. */
export const opening = { checking: 286_114, savings: 412_000 }
const saved = { amount: '250.00', months: 6 }

const shops: readonly [merchant: string, amount: string][] = [
  ['Corner Bakery', '-4.80'],
  ['Metro Transit', '-2.25'],
  ['Green Grocer', '-23.65'],
  ['Book Nook', '-14.99'],
  ['Riverside Cinema', '-12.50'],
]

/** Returns the purchase with a number, such as 0 for the first. */
export function purchase(count: number, time: Date): Omit<HouseholdRow, 'id'> {
  const [merchant, amount] = shops[count % shops.length] ?? ['', '0']
  const description = `POS DEBIT 4417 ${merchant.toUpperCase()}`
  return { date: dayOf(time), amount, merchant, description }
}

/**
 * Returns the rows of the checking account: those of a bank's export, moved so that the last is of
 * the day before `start`.
 */
export function checkingRows(start: Date): HouseholdRow[] {
  const text = new TextDecoder('windows-1252').decode(readFileSync(file))
  const rows = [...text.matchAll(/<STMTTRN>(.*?)<\/STMTTRN>/gs)].map(([, row = '']) => {
    const read = (tag: string) => new RegExp(`<${tag}>(.*)`).exec(row)?.[1]?.trim() ?? ''
    const [year, month, day] = [...(/(\d{4})(\d\d)(\d\d)/.exec(read('DTPOSTED')) ?? [])].slice(1)
    return {
      id: read('FITID'),
      timeMs: Date.parse(`${year}-${month}-${day}`),
      amount: read('TRNAMT'),
      merchant: read('NAME').replaceAll('&amp;', '&'),
      description: read('MEMO').replaceAll('&amp;', '&'),
    }
  })
  const shiftMs = Date.parse(dayOf(start)) - dayMs - Math.max(...rows.map(({ timeMs }) => timeMs))
  return rows.map(({ timeMs, ...row }) => ({ ...row, date: dayOf(new Date(timeMs + shiftMs)) }))
}

/** Returns the rows of the savings account: one in each of the months before `start`. */
export function savingsRows(start: Date): HouseholdRow[] {
  return Array.from({ length: saved.months }, (_, index) => ({
    id: `savings-${index}`,
    date: dayOf(new Date(start.getTime() - (index + 1) * 30 * dayMs)),
    amount: saved.amount,
    merchant: 'Robin Rivers',
    description: 'TRANSFER FROM 4417',
  }))
}

/** Returns a balance as a decimal number: the one before the rows, in cents, and the rows. */
export function balanceOf(openingCents: number, amounts: readonly string[]): string {
  const cents = amounts.map((amount) => Math.round(100 * Number(amount)))
  return (cents.reduce((sum, one) => sum + one, openingCents) / 100).toFixed(2)
}

/** Returns the day in UTC as YYYY-MM-DD. */
const dayOf = (time: Date): string => time.toISOString().slice(0, 10)
