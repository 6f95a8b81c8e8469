import type { ItemSync } from '@coffer/aggregator-sync/syncs/item-sync'
import { readSync } from '@coffer/aggregator-sync/syncs/operator.service'
import { eventually } from '@coffer/host/testing/boot'
import type { ServiceDefinition } from '@coffer/kit/service/service'
import { type Coffer, startCoffer } from '../../harness/coffer.ts'
import type { Answer, Json, Person } from '../../harness/person.ts'
import type { NewAccount } from '../../providers/plaid/account.ts'
import type { PlaidItem } from '../../providers/plaid/item.ts'
import { type Plaid, startPlaid } from '../../providers/plaid/plaid.ts'

/** All services with the simulated Plaid and its webhooks, and a clock of all of them. */
export interface AggregatorWorld extends AsyncDisposable {
  coffer: Coffer
  plaid: Plaid
  /** Moves the clock forward. */
  pass: (ms: number) => void
  now: () => Date
}

/** A person with a linked item. */
export interface AggregatorHome {
  person: Person
  linkId: string
  item: PlaidItem
  /** Paths of the bank accounts in the REST API, in the order of the item's accounts. */
  paths: string[]
  state: () => Promise<ItemSync>
  /** Waits until no sync runs, and none is requested. */
  ended: () => Promise<ItemSync>
  /** Calls a route of the aggregator, which takes no API keys. @throws {Error} if it is refused */
  call: (method: string, path: string, body?: unknown) => Promise<Json>
}

/** Starts all services, or those given, and the simulated Plaid. */
export async function startAggregatorWorld(
  services?: ServiceDefinition[],
): Promise<AggregatorWorld> {
  let offsetMs = 0
  const now = () => new Date(Date.now() + offsetMs)
  const plaid = await startPlaid({ now })
  const settings = {
    COFFER_AGGREGATOR_ENABLED: 'true',
    COFFER_AGGREGATOR_CLIENT_ID: plaid.clientId,
    COFFER_AGGREGATOR_CLIENT_SECRET: plaid.secret,
    COFFER_AGGREGATOR_URL: plaid.url,
    COFFER_AGGREGATOR_ITEM_CALLS_PER_MINUTE: '10000',
    COFFER_AGGREGATOR_WEBHOOKS_ENABLED: 'true',
    COFFER_AGGREGATOR_WEBHOOKS_DOMAIN: 'coffer.example',
  }
  const coffer = await startCoffer(settings, services)
  Object.defineProperty(coffer.booted.clock, 'now', { get: now })
  plaid.webhooks.origin = new URL(coffer.baseUrl).origin
  return {
    coffer,
    plaid,
    now,
    pass: (ms) => {
      offsetMs += ms
    },
    [Symbol.asyncDispose]: async () => {
      await plaid[Symbol.asyncDispose]()
      await coffer[Symbol.asyncDispose]()
    },
  }
}

/** Registers a person who links a new item with these accounts, and waits for its set-up. */
export async function linkByRest(
  { coffer, plaid }: AggregatorWorld,
  accounts: readonly NewAccount[],
): Promise<AggregatorHome> {
  const person = await coffer.person()
  const call = async (method: string, path: string, body?: unknown) => {
    const of = { asSession: true, ...(body === undefined ? {} : { body }) }
    const answer: Answer = await person.call(method, `/aggregator${path}`, of)
    if (answer.status >= 200 && answer.status < 300) return answer.body
    throw new Error(`${path}: ${answer.status} ${JSON.stringify(answer.body)}`)
  }
  const { linkToken } = await call('GET', '/token/new')
  const username = `user_${person.accountId}`
  plaid.users.set(username, (item) => {
    for (const account of accounts) item.addAccount(account)
  })
  const { publicToken, item } = plaid.completeLink(linkToken, { username })
  const accountIds = item.accounts().map((one) => one.account_id)
  const { linkId } = await call('POST', '/token/callback', { publicToken, accountIds })
  const { webhooks } = plaid
  await webhooks.send(webhooks.create(item, 'INITIAL_UPDATE'))
  await call('GET', `/link/setup/wait/${linkId}`)
  const key = { accountId: person.accountId, linkId }
  const state = () => readSync(coffer.booted.database('aggregator-sync'), key)
  // A postponed sync keeps its request for a later time.
  const isDue = (at: Date | null) => at !== null && at <= (coffer.booted.clock.now ?? new Date())
  const listed: Json[] = await person.get('/bank_accounts')
  const paths = item.accounts().map(({ name }) => {
    const found = listed.find((one) => one.name === name)
    return `/bank_accounts/${found?.bankAccountId}`
  })
  return {
    person,
    linkId,
    item,
    paths,
    state,
    ended: () =>
      eventually(state, ({ requestedAt, syncRunId }) => !isDue(requestedAt) && !syncRunId),
    call,
  }
}
