import { newPerson } from '../../harness/person.ts'

/** Identifies the requests of a household: its API key, bank account and envelope. */
export interface Household {
  accountId: string
  /** ID and secret of the API key. */
  apiKeyId: string
  secret: string
  bankAccountId: string
  spendingId: string
}

const start = Date.UTC(2025, 0, 1)
const dayMs = 86_400_000
/** A day after the last transaction of every household. */
export const nextDay = '2026-12-01T00:00:00.000Z'
const texts = ['GROCER', 'BAKERY', 'PHARMACY', 'TRAIN', 'CINEMA', 'FUEL', 'CLINIC', 'BOOKSHOP']
const bulkMax = 500

/**
 * Registers a household with this number of transactions, whose rows are copied to others. Every
 * tenth transaction is from its only envelope and adjusts the balances, so it has journal rows.
 */
export async function createPattern(baseUrl: string, count: number): Promise<Household> {
  const person = await newPerson(baseUrl, { timezone: 'UTC' })
  const { id: bankAccountId, path } = await person.createBankAccount(100_000_000)
  const pay = { name: 'Pay', ruleset: 'DTSTART:20250101T000000Z\nRRULE:FREQ=MONTHLY;BYMONTHDAY=15' }
  const { fundingScheduleId } = await person.post(`${path}/funding_schedules`, pay)
  const inYearMs = Date.now() + 365 * dayMs
  const { spendingId } = await person.post(`${path}/spending`, {
    spendingType: 'goal',
    name: 'Household',
    fundingScheduleId,
    targetAmount: 90_000_000,
    nextRecurrence: new Date(inYearMs - (inYearMs % dayMs)).toISOString(),
  })
  await person.post(`${path}/spending/transfer`, { toSpendingId: spendingId, amount: 80_000_000 })
  const transactions = Array.from({ length: count }, (_, index) => {
    const name = `${texts[index % texts.length]} ${index % 97}`
    const plain = { name, amount: 100 + (index % 900), date: dayOf(index) }
    return index % 10 === 0 ? { ...plain, spendingId, adjustsBalance: true } : plain
  })
  for (let from = 0; from < count; from += bulkMax) {
    const some = transactions.slice(from, from + bulkMax)
    await person.post(`${path}/transactions/bulk`, { transactions: some })
  }
  const key = Buffer.from(person.authorization.replace('Basic ', ''), 'base64').toString()
  const [apiKeyId = '', secret = ''] = key.split(':')
  return { accountId: person.accountId, apiKeyId, secret, bankAccountId, spendingId }
}

/**
 * Returns the keys of household `number`: 0 is the pattern, the others are its copies, with IDs as
 * `numbered` of copies.ts makes them.
 */
export function householdAt(pattern: Household, number: number): Household {
  if (number === 0) return pattern
  const copied = (id: string) => {
    return `${id.slice(0, -16)}${number.toString(16).padStart(4, '0')}${id.slice(-12)}`
  }
  return {
    accountId: copied(pattern.accountId),
    apiKeyId: copied(pattern.apiKeyId),
    // The secret is hashed without the key's ID, so the copied hash is valid.
    secret: pattern.secret,
    bankAccountId: copied(pattern.bankAccountId),
    spendingId: copied(pattern.spendingId),
  }
}

/** Returns midnight (UTC) of the day of a household's transaction: two transactions a day. */
function dayOf(index: number): string {
  return new Date(start + Math.floor(index / 2) * dayMs).toISOString()
}
