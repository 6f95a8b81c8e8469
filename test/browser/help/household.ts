import { type Coffer, createClient, sessionOf } from '@coffer/client'

/** Names and texts of the household in the pictures, in the language of their pages. */
export interface Story {
  locale: string
  currency: string
  bank: string
  account: string
  card: string
  payday: string
  /** Envelopes: rent, groceries, electricity, insurance, holiday. */
  envelopes: readonly [string, string, string, string, string]
  /** Payments: the landlord, a grocer, another one, a pharmacy, a bookshop. */
  payees: readonly [string, string, string, string, string]
  /** Texts of the app, and amounts as they are typed. */
  texts: {
    move: string
    sum: string
    add: string
    received: string
    refund: string
    fileName: string
    preview: string
    stored: string
  }
  /** A file of the bank as CSV: days of this year, names, amounts. */
  file: string
}

export const stories: Record<'en' | 'de', Story> = {
  en: {
    locale: 'en_US',
    currency: 'USD',
    bank: 'Village Bank',
    account: 'Checking',
    card: 'Card',
    payday: 'Wage',
    envelopes: ['Rent', 'Groceries', 'Electricity', 'Car insurance', 'Holiday'],
    payees: ['Hill Street Homes', 'Corner Market', 'Green Grocer', 'Elm Pharmacy', 'Book Nook'],
    texts: {
      move: 'Move money',
      sum: '250+20',
      add: 'Add',
      received: 'Received',
      refund: '12.40',
      fileName: 'november.csv',
      preview: 'Show a preview',
      stored: 'This will be stored',
    },
    file: [
      'Date,Description,Amount',
      '11/03/2026,CORNER MARKET 0417,-38.20',
      '11/05/2026,CITY POWER,-64.00',
      '11/06/2026,WAGE NOVEMBER,1800.00',
      '11/16/2026,ELM PHARMACY,-12.75',
    ].join('\n'),
  },
  de: {
    locale: 'de_DE',
    currency: 'EUR',
    bank: 'Dorfbank',
    account: 'Girokonto',
    card: 'Karte',
    payday: 'Lohn',
    envelopes: ['Miete', 'Lebensmittel', 'Strom', 'Autoversicherung', 'Urlaub'],
    payees: ['Hausverwaltung Berg', 'Markthalle', 'Gemüse Kern', 'Linden-Apotheke', 'Buch am Tor'],
    texts: {
      move: 'Geld umbuchen',
      sum: '250+20',
      add: 'Hinzufügen',
      received: 'Erhalten',
      refund: '12,40',
      fileName: 'november.csv',
      preview: 'Vorschau zeigen',
      stored: 'Das wird gespeichert',
    },
    file: [
      'Datum;Verwendungszweck;Betrag',
      '03.11.2026;MARKTHALLE 0417;-38,20',
      '05.11.2026;STADTWERKE;-64,00',
      '06.11.2026;LOHN NOVEMBER;1.800,00',
      '09.11.2026;LINDEN-APOTHEKE;-12,75',
    ].join('\n'),
  },
}

const dayMs = 86_400_000

/** A signed-in person with the household. */
export interface Pictured {
  /** `Cookie` header of the session. */
  cookie: string
  /** IDs of the bank account, of the card and of the envelope for the rent. */
  account: string
  card: string
  rent: string
}

interface Path {
  bankAccountId: string
}

/** Registers a person and creates their household, by the API alone. */
export async function createPictured(baseUrl: string, story: Story): Promise<Pictured> {
  const { locale, bank, currency } = story
  const person = { firstName: 'Robin', lastName: 'Rivers', password: 'a long enough password' }
  const body = {
    ...person,
    email: `${currency.toLowerCase()}@example.com`,
    timezone: 'Etc/UTC',
    locale,
  }
  const cookie = sessionOf(await createClient({ baseUrl }).registerAccount({ body }))
  const coffer = createClient({ baseUrl, session: cookie })
  const { linkId } = (await coffer.createLink({ body: { institutionName: bank } })).data
  const held = { name: story.account, availableBalance: 214_050, currentBalance: 214_050 }
  const owed = { availableBalance: 175_000, currentBalance: -25_000, limitBalance: 200_000 }
  const kind = { name: story.card, accountType: 'credit', accountSubType: 'credit card' } as const
  const made = await coffer.createBankAccount({ body: { linkId, currency, ...held } })
  const card = await coffer.createBankAccount({ body: { linkId, currency, ...kind, ...owed } })
  const path = { bankAccountId: made.data.bankAccountId }
  const ids = await createEnvelopes(coffer, path, story)
  await pay(coffer, path, { story, ids })
  const { bankAccountId } = card.data
  return { cookie, account: path.bankAccountId, card: bankAccountId, rent: ids[0] ?? '' }
}

/** Returns the IDs of the envelopes in their order. */
async function createEnvelopes(coffer: Coffer, path: Path, story: Story): Promise<string[]> {
  const start = stamp(dayAhead(-40))
  const schedule = {
    name: story.payday,
    ruleset: `DTSTART:${start}\nRRULE:FREQ=MONTHLY;INTERVAL=1;BYMONTHDAY=15,-1`,
    excludeWeekends: true,
    estimatedDeposit: 180_000,
  }
  const { fundingScheduleId } = (await coffer.createFundingSchedule({ path, body: schedule })).data
  const plans = [
    { targetAmount: 80_000, held: 53_000, monthDay: 1 },
    { targetAmount: 40_000, held: 18_000, monthDay: 1 },
    { targetAmount: 6_500, held: 6_500, monthDay: 20 },
    { targetAmount: 24_000, held: 9_000, monthDay: 10 },
    { targetAmount: 120_000, held: 45_000 },
  ]
  const ids: string[] = []
  for (const [at, { targetAmount, held, monthDay }] of plans.entries()) {
    const shared = { name: story.envelopes[at] ?? '', fundingScheduleId, targetAmount }
    const next = dayAhead(monthDay === undefined ? 200 : 3, monthDay)
    const rule = `DTSTART:${stamp(next)}\nRRULE:FREQ=MONTHLY;INTERVAL=1;BYMONTHDAY=${monthDay}`
    const dated = { ...shared, nextRecurrence: next.toISOString() }
    const kept = { graceDays: 5, settlesWhenSpent: true }
    const body =
      monthDay === undefined
        ? { ...dated, spendingType: 'goal' as const }
        : { ...dated, ...kept, spendingType: 'expense' as const, ruleset: rule }
    const { spendingId } = (await coffer.createSpending({ path, body })).data
    const move = { fromSpendingId: null, toSpendingId: spendingId, amount: held }
    await coffer.transferBetweenEnvelopes({ path, body: move })
    ids.push(spendingId)
  }
  return ids
}

interface Paid {
  story: Story
  ids: string[]
}

async function pay(coffer: Coffer, path: Path, { story, ids: [, groceries] }: Paid): Promise<void> {
  const [, grocer, other, pharmacy, books] = story.payees
  const payments = [
    { name: grocer, amount: 4_310, spendingId: groceries ?? null },
    { name: other, amount: 2_780 },
    { name: pharmacy, amount: 1_275 },
    { name: books, amount: 1_890 },
  ]
  const transactions = payments.map((one, at) => ({
    ...one,
    date: dayAhead(at - payments.length).toISOString(),
  }))
  await coffer.createTransactions({ path, body: { transactions } })
}

/** Returns midnight (UTC) of a day ahead, or of the next such day of a month from then on. */
function dayAhead(days: number, monthDay?: number): Date {
  const day = new Date(Math.floor(Date.now() / dayMs) * dayMs + days * dayMs)
  if (monthDay === undefined) return day
  const months = day.getUTCDate() > monthDay ? 1 : 0
  return new Date(Date.UTC(day.getUTCFullYear(), day.getUTCMonth() + months, monthDay))
}

/** Returns an instant as rules write it (RFC 5545 3.3.5). */
function stamp(day: Date): string {
  return day.toISOString().replaceAll(/[-:]|\.000/g, '')
}
