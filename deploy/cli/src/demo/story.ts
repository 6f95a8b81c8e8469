import type { DateTime } from 'luxon'

/** The demo's login, link and bank account. */
export const household = {
  email: 'demo@example.com',
  firstName: 'Robin',
  lastName: 'Rivers',
  timezone: 'America/Chicago',
  locale: 'en_US',
  institutionName: 'Demo Bank',
  accountName: 'Checking',
  cardName: 'Card',
} as const

export type SchedulePlan = { name: string; ruleset: string; estimatedDeposit: number }

/** An envelope to create; amounts in minor units. */
export type EnvelopePlan = {
  spendingType: 'expense' | 'goal'
  name: string
  /** Name of the funding schedule that fills the envelope. */
  schedule: string
  targetAmount: number
  /** Amount that the envelope holds when the demo is loaded, without refunds. */
  held: number
  nextRecurrence: DateTime
  ruleset?: string
  /** Whether an expense is spent in parts on any day, and keeps its unspent money. */
  isEveryday?: boolean
  /** Prefixes of the names of transactions that are spent from the envelope. */
  spentAt: string[]
  /** Prefix of the name of a deposit that gives money back to the envelope. */
  refundedBy?: string
}

/**
 * Returns two funding schedules: on the 15th and last day of each month, and on every Friday.
 * `today` is midnight in the household's timezone.
 */
export function schedulePlans(today: DateTime): SchedulePlan[] {
  const start = dtstart(today.minus({ months: 1 }).startOf('month'))
  return [
    {
      name: 'Payday',
      ruleset: `${start}\nRRULE:FREQ=MONTHLY;INTERVAL=1;BYMONTHDAY=15,-1`,
      estimatedDeposit: 195_000,
    },
    {
      name: 'Weekend market',
      ruleset: `${start}\nRRULE:FREQ=WEEKLY;INTERVAL=1;BYDAY=FR`,
      estimatedDeposit: 8_000,
    },
  ]
}

/** Returns eight expenses and three goals; `today` is midnight in the household's timezone. */
export function envelopePlans(today: DateTime): EnvelopePlan[] {
  // Due in two days and underfunded: this expense shows `isBehind`, unless a payday comes sooner.
  const soon = today.plus({ days: 2 }).day
  const expenses = [
    everyday(today, { name: 'Groceries', day: 1, targetAmount: 60_000, held: 42_000 }),
    {
      ...everyday(today, { name: 'Eating out', day: 1, targetAmount: 25_000, held: 12_500 }),
      refundedBy: 'MOBILE CHECK',
    },
    everyday(today, { name: 'Fuel', day: 10, targetAmount: 12_000, held: 9_000 }),
    expense(today, { name: 'Electricity and gas', day: 20, targetAmount: 18_000, held: 18_000 }),
    expense(today, { name: 'Internet and phone', day: soon, targetAmount: 11_500, held: 6_000 }),
    expense(today, { name: 'Car insurance', day: 5, targetAmount: 10_500, held: 4_000 }),
    expense(today, { name: 'Student loan', day: 3, targetAmount: 25_000, held: 25_000 }),
    expense(today, { name: 'Streaming', day: 8, targetAmount: 3_200, held: 1_600 }),
  ]
  const goals = [
    goal(today, { name: 'Summer trip', months: 8, targetAmount: 240_000, held: 60_000 }),
    goal(today, { name: 'New laptop', months: 5, targetAmount: 150_000, held: 45_000 }),
    goal(today, { name: 'Emergency fund', months: 24, targetAmount: 900_000, held: 300_000 }),
  ]
  return [
    ...expenses.map((plan) => ({ ...plan, schedule: 'Payday', spentAt: shops[plan.name] ?? [] })),
    ...goals.map((plan) => ({ ...plan, schedule: 'Weekend market', spentAt: [] })),
  ]
}

const shops: Record<string, string[]> = {
  Groceries: ['ALDI', 'LAKEWINDS', 'TRADER JOE', 'CUB FOODS'],
  'Eating out': ['CARIBOU', 'SPYHOUSE', 'DOMINO', 'QUANG', 'SANDWICH', 'BRASA'],
  Fuel: ['KWIK TRIP', 'SPEEDWAY'],
  'Electricity and gas': ['XCEL ENERGY', 'CENTERPOINT'],
  'Internet and phone': ['USI FIBER', 'METRO MOBILE'],
  'Car insurance': ['PRAIRIE MUTUAL'],
  'Student loan': ['GREAT RIVER'],
  Streaming: ['NETFLIX', 'GOOGLE *YOUTUBE'],
}

type Amounts = { name: string; targetAmount: number; held: number }

/** Returns an expense due on `day` of each month; its first due date is later than tomorrow. */
function expense(today: DateTime, { day, ...amounts }: Amounts & { day: number }) {
  const thisMonth = today.set({ day })
  const isPast = thisMonth < today.plus({ days: 2 })
  const nextRecurrence = isPast ? thisMonth.plus({ months: 1 }) : thisMonth
  const ruleset = `${dtstart(nextRecurrence)}\nRRULE:FREQ=MONTHLY;INTERVAL=1;BYMONTHDAY=${day}`
  return { ...amounts, spendingType: 'expense' as const, nextRecurrence, ruleset }
}

/** Returns an expense with a new period on `day` of each month, which keeps its unspent money. */
function everyday(today: DateTime, amounts: Amounts & { day: number }) {
  return { ...expense(today, amounts), isEveryday: true }
}

/** Returns a goal due on the first day of the month that is `months` ahead. */
function goal(today: DateTime, { months, ...amounts }: Amounts & { months: number }) {
  const nextRecurrence = today.plus({ months }).startOf('month')
  return { ...amounts, spendingType: 'goal' as const, nextRecurrence }
}

function dtstart(day: DateTime): string {
  return `DTSTART:${day.toUTC().toFormat("yyyyMMdd'T'HHmmss'Z'")}`
}
