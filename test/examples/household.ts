import { silentLog } from '@coffer/host/testing/silent-log'
import { startSearchers } from '@coffer/ledger/similar/cluster-pool.client'
import { similarActivities } from '@coffer/ledger/similar/similar.activities'
import type { Json } from '../harness/person.ts'
import { rules } from './rules.ts'
import type { Ada } from './sign-in.ts'
import type { World } from './world.ts'

// Midnight in Chicago, Ada's timezone, is 06:00 UTC in winter and 05:00 in summer.
const payday = 'DTSTART:20260115T060000Z\nRRULE:FREQ=MONTHLY;INTERVAL=1;BYMONTHDAY=15,-1'
const friday = 'DTSTART:20260306T060000Z\nRRULE:FREQ=WEEKLY;INTERVAL=1;BYDAY=FR'
const firstOfMonth = 'DTSTART:20260401T050000Z\nRRULE:FREQ=MONTHLY;INTERVAL=1;BYMONTHDAY=1'

const bill = { graceDays: 5, settlesWhenSpent: true }

/** A link that is kept by hand, with its first bank account and what is in it. */
export interface Household {
  linkId: string
  /** Path of the bank account in the REST API. */
  path: string
  fundingScheduleId: string
  rentId: string
  tripId: string
}

/** Creates a manual link with two bank accounts, a funding schedule, two expenses and a goal. */
export async function plans({ pass }: World, { key }: Ada): Promise<Household> {
  const { body: link } = await key('POST', '/links', {
    body: { institutionName: 'Prairie State Bank', description: 'Kept by hand' },
    name: 'manual',
    summary: 'A link that is kept by hand',
  })
  const { linkId } = link
  await key('PATCH', `/links/${linkId}`, { body: { description: 'Shared with Grace' } })
  await key('GET', `/links/${linkId}`)
  const { body: checking } = await key('POST', '/bank_accounts', {
    body: {
      linkId,
      name: 'Checking',
      mask: '4417',
      availableBalance: 285_000,
      currentBalance: 285_000,
      currency: 'USD',
    },
    name: 'manual',
    summary: 'A bank account that is kept by hand',
  })
  const path = `/bank_accounts/${checking.bankAccountId}`
  await key('PATCH', path, { body: { name: 'Everyday checking' } })
  await key('GET', path)
  await pass(60)
  const { body: pay } = await key('POST', `${path}/funding_schedules`, {
    body: {
      name: 'Payday',
      description: 'Northfield Tools',
      ruleset: payday,
      excludeWeekends: true,
      estimatedDeposit: 212_500,
    },
  })
  const { fundingScheduleId } = pay
  await key('GET', `${path}/funding_schedules/${fundingScheduleId}`)
  const { body: rent } = await key('POST', `${path}/spending`, {
    body: {
      spendingType: 'expense',
      name: 'Rent',
      fundingScheduleId,
      targetAmount: 120_000,
      ...bill,
      ruleset: firstOfMonth,
    },
    name: 'expense',
    summary: 'An expense, due each month',
  })
  const { body: trip } = await key('POST', `${path}/spending`, {
    body: {
      spendingType: 'goal',
      name: 'Trip to Oslo',
      fundingScheduleId,
      targetAmount: 180_000,
      nextRecurrence: '2036-09-01T05:00:00Z',
    },
    name: 'goal',
    summary: 'A goal, due once',
  })
  await key('POST', `${path}/spending/${rent.spendingId}/settle`, { body: {} })
  await key('DELETE', `${path}/spending/${rent.spendingId}/settle`)
  await key('DELETE', `${path}/spending/${rent.spendingId}/grace`)
  await key('POST', `${path}/spending/${rent.spendingId}/skip`, { body: {} })
  await key('PATCH', `${path}/spending/${trip.spendingId}`, { body: { targetAmount: 200_000 } })
  await key('GET', `${path}/spending/${trip.spendingId}`)
  await key('PATCH', `${path}/funding_schedules/${fundingScheduleId}`, {
    body: { estimatedDeposit: 220_000 },
  })
  return { linkId, path, fundingScheduleId, rentId: rent.spendingId, tripId: trip.spendingId }
}

/** Moves money: between envelopes, and by transactions. */
export async function spends(world: World, ada: Ada, home: Household): Promise<void> {
  const { key } = ada
  const { path, rentId, tripId } = home
  const { pass } = world
  await key('POST', `${path}/spending/transfer`, {
    body: { fromSpendingId: null, toSpendingId: rentId, amount: 90_000 },
    name: 'fromFree',
    summary: 'From free-to-use money to an envelope',
  })
  await key('POST', `${path}/spending/transfer`, {
    body: { fromSpendingId: rentId, toSpendingId: tripId, amount: 25_000 },
    name: 'between',
    summary: 'From one envelope to another',
  })
  await pass(60)
  const beginning = Buffer.from('["0"]').toString('base64url')
  for (const feed of ['/changes', '/changes/stream']) {
    await key('GET', `${feed}?after=${beginning}&types=link.created&limit=1&include=object`)
  }
  const { body: made } = await key('POST', `${path}/transactions`, {
    body: {
      name: 'Fjord Hostel',
      merchantName: 'Fjord Hostel',
      amount: 8_450,
      date: '2026-03-02T06:00:00Z',
      spendingId: tripId,
      adjustsBalance: true,
      notes: 'Deposit for two nights',
    },
    name: 'spent',
    summary: 'Money that leaves, from an envelope',
  })
  await key('POST', `${path}/transactions`, {
    body: {
      name: 'Northfield Tools',
      amount: -212_500,
      date: '2026-02-27T06:00:00Z',
      adjustsBalance: true,
    },
    name: 'deposit',
    summary: 'Money that comes in: the amount is negative',
  })
  await key('POST', `${path}/transactions/bulk`, {
    body: {
      transactions: [
        { name: 'GREEN GROCER 0412', amount: 2_365, date: '2026-02-28T06:00:00Z' },
        { name: 'GREEN GROCER 0398', amount: 3_120, date: '2026-02-21T06:00:00Z' },
        {
          name: 'Refund of the hostel',
          amount: -500,
          date: '2026-02-20T06:00:00Z',
          spendingId: tripId,
        },
      ],
    },
  })
  await changes(ada, home, `${path}/transactions/${made.transaction.transactionId}`)
  await changesMany(ada, home)
}

/** Assigns the grocers to an envelope by one request, undoes that, and deletes by a filter. */
async function changesMany({ key }: Ada, { path, tripId }: Household): Promise<void> {
  const { body: all } = await key('GET', `${path}/transactions?search=grocer`, { isShown: false })
  const { body: assigned } = await key('PATCH', `${path}/transactions/bulk`, {
    body: {
      items: all.map(({ transactionId }: Json) => transactionId),
      set: { spendingId: tripId, notes: 'Food for the trip' },
    },
    name: 'set',
    summary: 'Transactions by their IDs, into an envelope',
  })
  await key('DELETE', `/operations/${assigned.operationId}`)
  const { body: corrected } = await key('PATCH', `${path}/transactions/bulk`, {
    body: {
      items: all.map(({ transactionId }: Json) => transactionId),
      correct: { date: '2026-02-27T06:00:00Z' },
    },
    name: 'correct',
    summary: 'Another day for both',
  })
  await key('DELETE', `/operations/${corrected.operationId}`, { isShown: false })
  const { body: deleted } = await key('PATCH', `${path}/transactions/bulk`, {
    body: { filter: { search: 'grocer', to: '2026-02-21' }, delete: { adjustsBalance: false } },
    name: 'delete',
    summary: 'What matches a filter, softly deleted',
  })
  await key('DELETE', `/operations/${deleted.operationId}`, { isShown: false })
}

/** Changes, corrects, deletes and restores a transaction, spends it again, and gets a refund. */
async function changes({ key }: Ada, { path, tripId }: Household, one: string): Promise<void> {
  await key('GET', one)
  await key('PATCH', one, {
    body: { amount: 9_150 },
    name: 'amount',
    summary: 'Another amount: its envelope pays the difference',
  })
  await key('PATCH', one, {
    body: { spendingId: null, notes: 'Paid by Grace', addTags: ['Oslo 2036', 'shared'] },
    name: 'envelope',
    summary: 'Out of its envelope, which gets the money back',
  })
  await rules({ key }, { spendingId: tripId, bankAccountId: path.split('/')[2] })
  await key('GET', '/tags')
  await key('PATCH', '/tags', { body: { tags: ['oslo 2036'], name: 'Oslo' } })
  await key('POST', `${one}/correct`, { body: { amount: 9_200 } })
  await key('DELETE', one)
  await key('POST', `${one}/restore`, { body: {} })
  await key('PATCH', one, {
    body: { spendingId: tripId },
    name: 'assign',
    summary: 'Into an envelope, which pays for it',
  })
  await key('POST', `${path}/transactions`, {
    body: {
      name: 'Fjord Hostel',
      amount: -2_500,
      date: '2026-03-04T06:00:00Z',
      refundSpendingId: tripId,
      adjustsBalance: true,
    },
    name: 'refund',
    summary: 'Money that comes back to an envelope',
  })
}

/** Reads everything of the bank account, and its future. */
export async function looksAhead(world: World, ada: Ada, home: Household): Promise<void> {
  const { key } = ada
  const { linkId, path, fundingScheduleId, rentId, tripId } = home
  await key('GET', `/links/${linkId}/health`, {
    name: 'manual',
    summary: 'A link that is kept by hand is never synced',
  })
  await key('GET', `${path}/balances`)
  await key('GET', `${path}/funding_schedules`)
  await key('GET', `${path}/spending`)
  await key('GET', `${path}/spending/${rentId}/explain?language=en`)
  const { body: spent } = await key('GET', `${path}/spending/${tripId}/transactions`)
  await key('GET', `${path}/spending/${rentId}/history?limit=3`)
  await key('GET', `${path}/history?limit=4`)
  const { body: listed } = await key('GET', `${path}/transactions?limit=3`)
  if (spent.length === 0) throw new Error('the goal has no transactions')
  await filters(ada, home)
  await key('GET', `${path}/forecast`)
  await key('POST', `${path}/forecast/spending`, {
    body: {
      spendingType: 'expense',
      fundingScheduleId,
      targetAmount: 9_000,
      nextRecurrence: '2026-03-06T06:00:00Z',
      recurrenceRule: friday,
    },
  })
  await key('POST', `${path}/forecast/next_funding`, { body: { fundingScheduleId } })
  await findsSimilar(world)
  const grocer = listed.find(({ name }: Json) => name.startsWith('GREEN GROCER'))
  await key('GET', `${path}/transactions/${grocer.transactionId}/similar`)
}

/** Sends every filter of transactions, for the examples of parameters. */
async function filters({ key }: Ada, { path, tripId }: Household): Promise<void> {
  const filter =
    'search=hostel&from=2026-03-01&to=2026-03-31&pending=false&source=manual&tag=oslo' +
    '&amount_from=5000&amount_to=20000&amount=9200'
  const lists = [
    `${path}/transactions?${filter}&decimalMark=,&spendingId=${tripId}`,
    `${path}/spending/${tripId}/transactions?${filter}`,
    `/transactions?${filter}&spendingId=${tripId}`,
  ]
  for (const list of lists) {
    const { body } = await key('GET', list, { isShown: false })
    if (body.length !== 1) throw new Error(`${list} finds ${body.length} transactions`)
  }
  for (const list of [path, '']) {
    await key('GET', `${list}/transactions?deleted=true`, { isShown: false })
  }
  await key('GET', '/transactions?limit=3')
}

/** Lists the links and bank accounts of every kind. */
export async function listsAll({ key }: Ada): Promise<void> {
  await key('GET', '/overview')
  await key('GET', '/links')
  await key('GET', '/bank_accounts')
}

/** Runs the search for similar transactions, which a schedule starts otherwise. */
async function findsSimilar({ coffer, now }: World): Promise<void> {
  const searchers = startSearchers()
  await using _ = searchers
  const database = coffer.booted.database('ledger')
  const search = similarActivities({ database, clock: now, log: silentLog, searchers, quietMs: 0 })
  await search.clusterWaiting(null)
}
