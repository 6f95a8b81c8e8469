import { once } from 'node:events'
import { eventually } from '@coffer/host/testing/boot'
import { type Received, startReceiver } from '@coffer/notices/testing/webhook-receiver'
import { expect, test } from '@jest/globals'
import { Webhook as Library } from 'standardwebhooks'
import { type Json, newPerson, type Person } from '../../harness/person.ts'
import { type Deployment, deploy, type Part } from '../../harness/process.ts'

const others = ['gateway', 'identity', 'ledger', 'budgeting', 'aggregator-sync', 'feed-sync']
const purchases = 30
const changesEach = 3
/** Number of requests of receivers between two kills. */
const requestsPerKill = 50

/** Starts two processes of notices, and one of all others; the last has the gateway. */
async function startMesh(deployment: Deployment): Promise<Part[]> {
  const [one, two] = [await deployment.part('notices'), await deployment.part('notices')]
  const rest = await deployment.part(...others)
  const settings = { COFFER_IDENTITY_URL: rest.url }
  const { port } = new URL(deployment.baseUrl)
  const notices = { COFFER_NOTICES_URL: `${one.url},${two.url}`, COFFER_PORT: port }
  await Promise.all([one.start(settings), rest.start(notices)])
  await two.start(settings)
  return [one, two].map((part) => ({ ...part, start: () => part.start(settings) }))
}

/** Buys, and changes each purchase some times; the changes of one follow each other. */
async function buyAndChange(person: Person, path: string): Promise<void> {
  for (let number = 0; number < purchases; number += 1) {
    const date = new Date().toISOString()
    const body = { name: `Tea ${number}`, amount: 100, date, adjustsBalance: true }
    const { transaction } = await person.post(`${path}/transactions`, body)
    for (let change = 1; change <= changesEach; change += 1) {
      const changed = `${path}/transactions/${transaction.transactionId}`
      await person.patch(changed, { notes: `Change ${change}` })
    }
  }
}

async function feedOf(person: Person): Promise<Json[]> {
  const all: Json[] = []
  let after = ''
  for (;;) {
    const { changes, nextCursor, hasMore } = await person.get(`/changes?limit=100${after}`)
    all.push(...changes)
    if (!hasMore) return all
    after = `&after=${nextCursor}`
  }
}

/** Returns the changes that came before an earlier one of their object was accepted. */
function outOfOrder(feed: Json[], { all, accepted }: Arrived): string[] {
  const byObject = Map.groupBy(feed, ({ objectId }) => objectId)
  return [...byObject.values()].flatMap((changes) =>
    changes.slice(1).flatMap(({ changeId }, index) => {
      const before = accepted.get(changes[index]?.changeId) ?? Number.POSITIVE_INFINITY
      return before < all.indexOf(changeId) ? [] : [changeId]
    }),
  )
}

const isOfPurchase = ({ type }: Json) => type.startsWith('transaction.')

/** Requests of a webhook: their IDs, and the number of the first that was accepted, by ID. */
interface Arrived {
  all: string[]
  accepted: Map<string, number>
}

test('two processes that are killed in turn lose no change and keep the order', async () => {
  await using receiver = await startReceiver()
  await using deployment = await deploy({ COFFER_WEBHOOK_ALLOWED_HOSTS: receiver.host })
  const notices = await startMesh(deployment)
  const person = await newPerson(deployment.baseUrl)
  const { path } = await person.createBankAccount()
  const arrived = new Map<string, Arrived>()
  const secrets = new Map<string, string>()
  for (const kind of ['steady', 'flaky', 'slow']) {
    const { secret } = await person.post('/webhooks', { url: `${receiver.url}/${kind}` })
    secrets.set(kind, secret)
    arrived.set(kind, { all: [], accepted: new Map() })
  }
  const kindOf = (request: Received) => request.path.split('/').at(-1) ?? ''
  const next = new EventTarget()
  receiver.respond((response, request) => {
    const kind = kindOf(request)
    new Library(secrets.get(kind) ?? '').verify(request.body, request.headers)
    const { all, accepted } = arrived.get(kind) as Arrived
    // Its second attempt comes after 5 s.
    const isAccepted = kind !== 'flaky' || request.number % 3 > 0 || all.includes(request.id)
    if (isAccepted && !accepted.has(request.id)) accepted.set(request.id, all.length)
    all.push(request.id)
    if (request.number % requestsPerKill === 0) next.dispatchEvent(new Event('kill'))
    const answer = () => response.writeHead(isAccepted ? 204 : 500).end()
    if (kind === 'slow') setTimeout(answer, 100)
    else answer()
  })
  const before = await feedOf(person)
  const working = buyAndChange(person, path)
  for (let kills = 0; kills < 4; kills += 1) {
    await Promise.race([once(next, 'kill'), working])
    await notices[kills % 2]?.kill()
    await notices[kills % 2]?.start({})
  }
  await working
  const told = await eventually(
    async () => (await feedOf(person)).slice(before.length),
    (changes) => changes.filter(isOfPurchase).length === purchases * (1 + changesEach),
    120_000,
  )
  const missing = () =>
    [...arrived.values()].map(({ accepted }) => {
      return told.filter(({ changeId }) => !accepted.has(changeId)).length
    })
  await eventually(
    async () => missing(),
    (counts) => counts.every((one) => one === 0),
    180_000,
  )
  for (const [kind, one] of arrived) expect([kind, outOfOrder(told, one)]).toEqual([kind, []])
  const { webhooks } = await person.get('/webhooks')
  expect(webhooks.map(({ isEnabled }: Json) => isEnabled)).toEqual([true, true, true])
}, 600_000)
