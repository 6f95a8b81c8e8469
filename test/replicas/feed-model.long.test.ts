import { setTimeout as sleep } from 'node:timers/promises'
import { definitions } from '@coffer/cli/process/services'
import { createDatabase } from '@coffer/host/database/pool'
import { connectBroker } from '@coffer/host/events/nats'
import { eventually } from '@coffer/host/testing/boot'
import { requiredVariable } from '@coffer/host/testing/database'
import { silentLog } from '@coffer/host/testing/silent-log'
import { listTold } from '@coffer/host/testing/told'
import { expect, test } from '@jest/globals'
import pg from 'pg'
import { createGoalIn } from '../harness/goal.ts'
import { type Json, newPerson, type Person } from '../harness/person.ts'
import { changedObjects } from '../told/changed-objects.ts'
import { startReader } from './feed-readers.ts'
import { eachService, type Member, type Replicas, startReplicas } from './replicas.ts'

/** One process of all other services, two of notices, and a gateway. */
const others = eachService.flat().filter((name) => name !== 'notices')
const kinds = [others, ['notices'], ['notices']]

/** Pause in ms between writes: faults take seconds. */
const pauseMs = 50
/** Longest time in ms from a fault to the next one. */
const delayMsMax = 400

/** Longest time in ms until events arrive: a process finds an emptied NATS within 30 s. */
const waitMs = 180_000

/** Text of the statement that appends to feeds. */
const appending = 'INSERT INTO feed_events'

type Writer = AsyncDisposable & { requests: () => number }

/**
 * Changes objects of ledger, budgeting and identity, one request after the other. A request may
 * fail, because its service was killed.
 */
function startWriter({ client, session }: Person, path: string, spendingId: string): Writer {
  const bankAccountId = path.split('/').at(-1) ?? ''
  const bank = { path: { bankAccountId } }
  const plan = { path: { bankAccountId, spendingId } }
  const date = '2026-03-02T06:00:00Z'
  let isOver = false
  let count = 0
  const writeOnce = async () => {
    const body = { name: `Tea ${count}`, amount: 100, date, spendingId, adjustsBalance: true }
    const { data } = await client.createTransaction({ ...bank, body })
    const one = { path: { bankAccountId, transactionId: data.transaction.transactionId } }
    await client.updateTransaction({ ...one, body: { notes: `Note ${count}` } })
    if (count % 3 === 0) await client.deleteTransaction(one)
    if (count % 4 === 0) await client.updateSpending({ ...plan, body: { name: `Bike ${count}` } })
    if (count % 5 === 0) await session.updateMe({ body: { firstName: `Pat ${count}` } })
  }
  const write = async () => {
    while (!isOver) {
      count += 1
      await writeOnce().catch(() => undefined)
      await sleep(pauseMs)
    }
  }
  const writing = write()
  return {
    requests: () => count,
    [Symbol.asyncDispose]: async () => {
      isOver = true
      await writing
    },
  }
}

/** Faults of notices, of NATS and of the gateway, each while a person writes. */
function faultsOf({ members, deployment }: Replicas, client: pg.Client, accountId: string) {
  const [one, other] = members.filter(({ name }) => name.startsWith('notices')) as [Member, Member]
  const gateway = members.at(-1) as Member
  const killed = async (...replicas: Member[]) => {
    await Promise.all(replicas.map(({ kill }) => kill()))
    await Promise.all(replicas.map(({ start }) => start()))
  }
  /** Kills replicas while the statement that appends waits for the row of the feed. */
  const killedInStatement = async (...replicas: Member[]) => {
    await client.query('BEGIN')
    await client.query('SELECT FROM notices.feeds WHERE account_id = $1 FOR UPDATE', [accountId])
    const waiting = async () => {
      const { rows } = await client.query(`SELECT FROM pg_stat_activity
        WHERE wait_event_type = 'Lock' AND query LIKE '%feed_events%'`)
      return rows.length
    }
    await eventually(waiting, Boolean, waitMs)
    await Promise.all(replicas.map(({ kill }) => kill()))
    await client.query('COMMIT')
    await Promise.all(replicas.map(({ start }) => start()))
  }
  const wipe = async () => {
    const url = requiredVariable('COFFER_TEST_NATS_URL')
    const { prefix } = deployment
    const serviceNames = definitions.map(({ name }) => name)
    await using broker = await connectBroker({ url, prefix, serviceNames, log: silentLog })
    await (await broker.stream.jetstreamManager()).streams.delete(broker.streamName)
    expect(await deployment.run('replay')).toMatchObject({ code: 0 })
  }
  const { database } = deployment
  const loseAnswer = async () => {
    const isLost = database.loseAnswerTo(appending, 0)
    await eventually(async () => isLost(), Boolean, waitMs)
  }
  /** Kills replicas while the statement is on its way, and lets it come to Postgres. */
  const killedBefore = async (...replicas: Member[]) => {
    const line = await database.hold(appending)
    await Promise.all(replicas.map(({ kill }) => kill()))
    await line.deliver()
    await Promise.all(replicas.map(({ start }) => start()))
  }
  const faults: [string, () => unknown][] = [
    ['one replica is killed', () => killed(one)],
    ['one replica is killed in the statement', () => killedInStatement(one)],
    ['NATS is emptied', wipe],
    ['the other replica is killed in the statement', () => killedInStatement(other)],
    ['both replicas are killed', () => killed(one, other)],
    ['the answer of a statement is lost', loseAnswer],
    ['a statement is carried out after its replicas are killed', () => killedBefore(one, other)],
    ['both replicas are killed in the statement', () => killedInStatement(one, other)],
    ['NATS is emptied, and one replica killed', () => Promise.all([wipe(), killed(other)])],
    ['the gateway is killed', () => killed(gateway)],
  ]
  return faults
}

/** Returns what all services have told of an account: type, object and version of each change. */
async function toldOf({ databaseUrl: url }: Replicas['deployment'], accountId: string) {
  const told: string[] = []
  for (const { schema } of definitions) {
    const options = { url, schema, poolSizeMax: 1, statementTimeoutMs: 10_000 }
    await using database = await createDatabase(options)
    told.push(...(await listTold(database, accountId)).map(keyOf))
  }
  return told.toSorted()
}

const keyOf = ({ type, objectId, version }: Json) => `${type} ${objectId} ${Number(version)}`
const nameOf = ({ type, objectId }: Json) => `${type.split('.')[0]} ${objectId}`

test('readers see each change once and the last state of each object, whatever dies', async () => {
  await using replicas = await startReplicas({ kinds, count: 1 })
  const { baseUrl, deployment } = replicas
  const client = new pg.Client({ connectionString: deployment.databaseUrl })
  await client.connect()
  await using stack = new AsyncDisposableStack()
  stack.defer(() => client.end())
  const person = await newPerson(baseUrl)
  const { path } = await person.createBankAccount(1_000_000)
  const spendingId = await createGoalIn(person, path, 50_000)
  const query = { include: 'object' } as const
  const beginning = Buffer.from('["0"]').toString('base64url')
  const readers = await Promise.all(
    (['stream', 'stream', 'polls', 'polls'] as const).map((by) =>
      startReader(person, { by, query: { ...query, after: beginning } }),
    ),
  )
  {
    await using writer = startWriter(person, path, spendingId)
    const faults = faultsOf(replicas, client, person.accountId)
    for (const [name, fault] of faults) {
      await sleep(Math.random() * delayMsMax)
      const before = writer.requests()
      await fault()
      await eventually(async () => writer.requests() > before, Boolean, waitMs)
      console.log(name, readers.map(({ changes }) => changes.length).join(' '))
    }
  }
  const told = await toldOf(deployment, person.accountId)
  await eventually(
    async () => readers.map(({ changes }) => changes.length),
    (counts) => counts.every((count) => count >= told.length),
    waitMs,
  )
  const { authorization } = person
  const present = await changedObjects(baseUrl, { authorization })
  await Promise.all(readers.map(({ stop }) => stop()))
  const orders = readers.map(({ changes }) => changes.map(({ changeId }) => changeId))
  expect(readers[0]?.changes.map(keyOf).toSorted()).toEqual(told)
  for (const order of orders) expect(order).toEqual(orders[0])
  for (const { changes } of readers) {
    const last = new Map(changes.map((change) => [nameOf(change), change.object]))
    expect(last).toEqual(new Map([...present].map(([name, { object }]) => [name, object])))
  }
  expect(await deployment.run('audit')).toMatchObject({ code: 0 })
}, 900_000)
