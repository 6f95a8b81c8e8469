import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { FeedBank, Purchase } from './feed-bank.ts'
import { feedAccount, type LunchFlow } from './lunch-flow.ts'

const file = join(import.meta.dirname, '../data/checking.qfx')
const dayMs = 86_400_000
const institution = { institution_name: 'Prairie State Bank', provider: 'simulator' }
const checkingId = 4417
const savingsId = 8820

/** Balances before the first rows, in cents. */
const opening = { checking: 286_114, savings: 412_000 }
const saved = { amount: '250.00', months: 6 }

const shops: readonly [merchant: string, amount: string][] = [
  ['Corner Bakery', '-4.80'],
  ['Metro Transit', '-2.25'],
  ['Green Grocer', '-23.65'],
  ['Book Nook', '-14.99'],
  ['Riverside Cinema', '-12.50'],
]

/**
 * Adds two bank accounts to the provider, with a half year that ends the day before `start` (in
 * UTC). It depends on `start` alone, so that a simulator which starts again lists the same rows.
 * `shop` lets the household buy something: it is pending, without an ID as at many banks, until the
 * next purchase.
 */
export function moveIn(provider: LunchFlow, start: Date): { shop: (time: Date) => void } {
  provider.accounts.push(
    feedAccount(checkingId, { name: 'Everyday Checking', ...institution }),
    feedAccount(savingsId, { name: 'Rainy Day Savings', ...institution }),
  )
  const [checking, savings] = [provider.bank(checkingId), provider.bank(savingsId)]
  for (const row of checkingRows(start)) checking.post(row)
  for (const row of savingsRows(start)) savings.post(row)
  const stateBalances = () => {
    checking.setBalance(balanceOf(checking, opening.checking))
    savings.setBalance(balanceOf(savings, opening.savings))
  }
  stateBalances()
  let count = 0
  let pending: string | null = null
  return {
    shop: (time) => {
      if (pending !== null) checking.settle(pending, { id: `purchase-${count}` })
      const [merchant, amount] = shops[count % shops.length] ?? ['', '0']
      const description = `POS DEBIT 4417 ${merchant.toUpperCase()}`
      pending = checking.pend({ id: null, date: dayOf(time), amount, merchant, description })
      count += 1
      stateBalances()
    },
  }
}

/** Returns the rows of the bank's export, moved so that the last is of the day before `start`. */
function checkingRows(start: Date): Purchase[] {
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

function savingsRows(start: Date): Purchase[] {
  return Array.from({ length: saved.months }, (_, index) => ({
    id: `savings-${index}`,
    date: dayOf(new Date(start.getTime() - (index + 1) * 30 * dayMs)),
    amount: saved.amount,
    merchant: 'Robin Rivers',
    description: 'TRANSFER FROM 4417',
  }))
}

function balanceOf(bank: FeedBank, openingCents: number): string {
  const cents = bank.listed().map(({ amount }) => Math.round(100 * Number(amount)))
  return (cents.reduce((sum, one) => sum + one, openingCents) / 100).toFixed(2)
}

/** Returns the day in UTC as YYYY-MM-DD. */
const dayOf = (time: Date): string => time.toISOString().slice(0, 10)
