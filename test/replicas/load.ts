import { setTimeout as sleep } from 'node:timers/promises'
import { newId } from '@coffer/kit/values/id'
import { createGoalIn } from '../harness/goal.ts'
import { newPerson, type Person } from '../harness/person.ts'
import { type Client, createClient, type Outcome, type Sent } from './client.ts'

/** A running load. */
export interface Load {
  /** Stops the load; returns the outcomes of all its requests. */
  stop: () => Promise<Outcome[]>
}

export interface Household {
  person: Person
  path: string
  spendingId: string
  fundingScheduleId: string
  /** Balance of the bank account before the first purchase. */
  balance: number
}

/** Number of concurrent connections, and the longest pause of each between two requests in ms. */
const lines = 12
const pauseMsMax = 100
const balance = 100_000

/** Registers people, each with a bank account that has a goal. */
export async function createHouseholds(baseUrl: string, count: number): Promise<Household[]> {
  const households: Household[] = []
  while (households.length < count) {
    const person = await newPerson(baseUrl)
    const { path } = await person.createBankAccount(balance)
    const spendingId = await createGoalIn(person, path, 20_000)
    const [{ fundingScheduleId }] = await person.get(`${path}/funding_schedules`)
    households.push({ person, path, spendingId, fundingScheduleId, balance })
  }
  return households
}

/** Sends mixed requests of the households, those chosen by `isSent`, until stopped. */
export function startLoad(
  baseUrl: string,
  people: Household[],
  { isSent = () => true }: { isSent?: (sent: Sent) => boolean } = {},
): Load {
  const stopping = new AbortController()
  const client = createClient(baseUrl)
  const running = Array.from({ length: lines }, async (_, index) => {
    const household = people[index % people.length] as Household
    while (!stopping.signal.aborted) {
      await sendAny(client, household, isSent)
      const pauseMs = Math.random() * pauseMsMax
      await sleep(pauseMs, undefined, { signal: stopping.signal }).catch(() => undefined)
    }
  })
  return {
    stop: async () => {
      stopping.abort()
      await Promise.all(running)
      client[Symbol.dispose]()
      return client.outcomes
    },
  }
}

const date = '2026-03-02T06:00:00Z'

/** Kinds of requests, with their share of all requests in percent. */
const kinds: [number, (household: Household) => Omit<Sent, 'headers'>][] = [
  [15, ({ path }) => get('balances', `${path}/balances`)],
  [15, ({ path }) => get('transactions', `${path}/transactions?limit=25`)],
  [10, ({ path }) => get('spending', `${path}/spending`)],
  [5, ({ path }) => get('funding', `${path}/funding_schedules`)],
  [5, () => get('links', '/links')],
  [20, ({ path }) => ({ ...purchase(path), key: newId('key') })],
  [8, ({ path }) => purchase(path)],
  [8, transfer],
  [4, creation],
  [4, rename],
  [4, login],
  [2, upload],
]

/** Sends a request of a random kind, unless `isSent` refuses it. */
async function sendAny(
  client: Client,
  household: Household,
  isSent: (sent: Sent) => boolean,
): Promise<void> {
  let left = 100 * Math.random()
  const [, create] = kinds.find(([share]) => {
    left -= share
    return left < 0
  }) as (typeof kinds)[number]
  const sent = create(household)
  if (!isSent(sent)) return
  const { authorization } = household.person
  const headers: Record<string, string> = sent.path.includes('login') ? {} : { authorization }
  await client.send({ ...sent, headers })
}

function get(route: string, path: string): Sent {
  return { route: `GET ${route}`, method: 'GET', path }
}

function purchase(path: string): Sent {
  const body = { name: 'Tea', amount: 1, date, adjustsBalance: true }
  return { route: 'POST transactions', method: 'POST', path: `${path}/transactions`, body }
}

/** Moves money between the goal and free-to-use money, in either direction. */
function transfer({ path, spendingId }: Household): Sent {
  const isBack = Math.random() < 0.5
  const body = {
    fromSpendingId: isBack ? spendingId : null,
    toSpendingId: isBack ? null : spendingId,
    amount: 1,
  }
  const to = `${path}/spending/transfer`
  return { route: 'POST transfer', method: 'POST', path: to, body, key: newId('key') }
}

/** Creates an envelope in the ledger with its plan in budgeting. */
function creation({ path, fundingScheduleId }: Household): Sent {
  const body = {
    spendingType: 'goal',
    name: newId('goal'),
    fundingScheduleId,
    targetAmount: 1_000,
    nextRecurrence: `${new Date().getUTCFullYear() + 2}-01-01T06:00:00Z`,
  }
  const to = `${path}/spending`
  return { route: 'POST spending', method: 'POST', path: to, body, key: newId('key') }
}

function rename({ path, spendingId }: Household): Sent {
  const to = `${path}/spending/${spendingId}`
  const body = { name: newId('goal') }
  return { route: 'PATCH spending', method: 'PATCH', path: to, body }
}

function login({ person: { email, password } }: Household): Sent {
  const path = '/authentication/login'
  return { route: 'POST login', method: 'POST', path, body: { email, password } }
}

const statement = ['Date,Amount,Description', '2026-03-02,-1.00,Bread'].join('\n')

function upload({ path }: Household): Sent {
  const form = new FormData()
  form.set('data', new File([statement], 'bank.csv', { type: 'text/csv' }))
  const to = `${path}/transactions/import`
  return { route: 'POST import', method: 'POST', path: to, form, key: newId('key') }
}
