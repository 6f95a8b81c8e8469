import { mkdtempDisposableSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { serviceNames } from '@coffer/cli/settings/service-names'
import { runHere } from '@coffer/cli/testing/run-here'
import { createDatabase } from '@coffer/host/database/pool'
import { startConsumer } from '@coffer/host/events/consumer'
import { ensureConsumer } from '@coffer/host/events/durable-consumer'
import { connectBroker } from '@coffer/host/events/nats'
import { natsPermissions } from '@coffer/host/events/permissions'
import { startRelay } from '@coffer/host/events/relay'
import { startStreamAudit } from '@coffer/host/events/stream-audit'
import { aliveSubjectOf, subjectSpace } from '@coffer/host/events/subjects'
import { watchIsolation } from '@coffer/host/isolation'
import { eventually } from '@coffer/host/testing/boot'
import { cloneDatabase } from '@coffer/host/testing/database'
import { fixture } from '@coffer/host/testing/fixture/service'
import { silentLog } from '@coffer/host/testing/silent-log'
import type { Broker } from '@coffer/kit/events/broker'
import { emit } from '@coffer/kit/events/changes'
import { progressSubject, publishProgress } from '@coffer/kit/events/progress'
import { newId } from '@coffer/kit/values/id'
import { freePorts } from '@coffer/local/ports'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import {
  AckPolicy,
  DeliverPolicy,
  type JetStreamManager,
  jetstreamManager,
} from '@nats-io/jetstream'
import { connect } from '@nats-io/transport-node'
import { sql } from 'slonik'
import { covers, foreignSubjects, watchRefusals } from '../walls/subjects.ts'
import { userCredentials } from './nats-accounts.ts'
import { startOwnNats } from './servers.ts'

const stack = new AsyncDisposableStack()
const prefix = 'budget'
const stream = prefix.toUpperCase()
const permissions = natsPermissions(prefix, serviceNames)
/** Subjects of all messages, those of requests and acknowledgements included. */
const seen: string[] = []
let port: number
let manager: JetStreamManager

beforeAll(async () => {
  const [free = 0] = await freePorts(1)
  port = free
  const { stdout } = await runHere(['nats:permissions'], { COFFER_PREFIX: prefix })
  const known = stdout.replace('users: [', 'users: [\n{ user: root, password: root }')
  stack.use(await startOwnNats('walls', port, known.replace(/\$NATS_PASSWORD_\w+/g, '"4word"')))
  const root = await connect({ servers: `127.0.0.1:${port}`, user: 'root', pass: 'root' })
  stack.defer(() => root.close())
  root.subscribe('>', { callback: (_, { subject }) => void seen.push(subject) })
  manager = await jetstreamManager(root)
})

afterAll(async () => {
  await stack.disposeAsync()
})

function brokerOf(part: string, bytesMax?: number): Promise<Broker> {
  return connectBroker({
    url: `nats://${prefix}-${part}:4word@127.0.0.1:${port}`,
    prefix,
    serviceNames: [...serviceNames],
    user: part,
    hasStream: part !== 'gateway',
    log: silentLog,
    ...(bytesMax === undefined ? {} : { bytesMax }),
  })
}

/** Runs all that a service does with NATS: relay, audit, consumer, dead letters, progress. */
async function live(service: string): Promise<void> {
  await using opened = new AsyncDisposableStack()
  const { url } = opened.use(await cloneDatabase([fixture]))
  const at = { url, schema: fixture.schema, poolSizeMax: 4, statementTimeoutMs: 10_000 }
  const database = opened.use(await createDatabase(at))
  const broker = opened.use(await brokerOf(service))
  // Another bound than the stream has: a service that may not change it leaves it as it is.
  await using changing = await brokerOf(service, 2 ** 26)
  expect([service, changing.hasConnected(), changing.refusal()]).toEqual([service, true, null])
  const { max_bytes } = (await manager.streams.info(broker.streamName)).config
  expect([service, max_bytes]).toEqual([service, service === 'identity' ? 2 ** 26 : 2 ** 30])
  const refused = watchRefusals(broker.connection)
  const { onChanges } = database
  const common = { service, name: service, database, broker, log: silentLog }
  opened.use(startRelay({ ...common, onChanges }))
  opened.use(startStreamAudit({ ...common, everyMs: 50, settledMs: 0, marginMs: 0 }))
  await manager.consumers.add(broker.streamName, {
    durable_name: service,
    ack_policy: AckPolicy.Explicit,
    deliver_policy: DeliverPolicy.StartSequence,
    opt_start_seq: 1_000_000,
  })
  const subject = `${subjectSpace(service)}.proof`
  const handle = () => Promise.reject(new Error('always'))
  const consuming = { ...common, handlers: [{ subject, handle }], retryPausesMs: [1] }
  opened.use(await startConsumer(consuming))
  const accountId = newId('acct')
  await database.transaction((tx) =>
    emit(tx, {
      changeId: newId('chg'),
      accountId,
      entityId: accountId,
      version: 1n,
      type: `coffer.${subjectSpace(service)}.v1.Proof`,
      payload: Buffer.from('x'),
      traceContext: null,
    }),
  )
  if (service.endsWith('sync')) publishProgress(broker, { accountId, id: 'one' }, {})
  const alive = aliveSubjectOf(prefix, service)
  const clock = () => new Date()
  const isReady = async () => true
  const living = { broker, subject: alive, clock, isReady, answeredAt: () => 0, ask: () => {} }
  opened.use(watchIsolation(living))
  await eventually(async () => seen.includes(alive), Boolean)
  await eventually(async () => seen.some((one) => one === `${prefix}.dead.${service}`), Boolean)
  const checked = sql.unsafe`SELECT FROM stream_positions WHERE checked > 0`
  await eventually(() => database.pool.exists(checked), Boolean)
  const acknowledged = () => manager.consumers.info(broker.streamName, service)
  await eventually(acknowledged, ({ ack_floor }) => ack_floor.stream_seq > 0)
  await ensureConsumer({ ...consuming, ackWaitMs: 10_000 })
  expect([service, refused]).toEqual([service, []])
}

test('a service needs all that its user may do, and nothing else', async () => {
  // The keeper of the stream, one that reports progress, and one that does neither.
  for (const service of ['identity', 'feed-sync', 'budgeting']) {
    seen.length = 0
    await live(service)
    // After the brokers are closed: an open one would create the stream again at once.
    await manager.streams.delete(stream)
    const used = [...new Set(seen)]
    const { publish = [] } = permissions[service] ?? {}
    const unused = publish.filter((pattern) => !used.some((subject) => covers(pattern, subject)))
    expect([service, unused]).toEqual([service, []])
  }
})

test('a forged closing of an envelope is refused, also as the answer to a request', async () => {
  await using forger = await brokerOf('feed-sync')
  await using owner = await brokerOf('ledger')
  const subject = forger.subject('ledger.envelope-closed')
  const forging = forger.stream.publish(subject, 'forged', { msgID: 'forged' })
  await expect(forging).rejects.toThrow(`Permissions Violation for Publish to "${subject}"`)
  // NATS answers on the subject that a request names, with a text of its own and without an ID.
  forger.connection.publish(`$JS.API.STREAM.INFO.${stream}`, '', { reply: subject })
  const handled: string[] = []
  await using opened = new AsyncDisposableStack()
  const { url } = opened.use(await cloneDatabase([fixture]))
  const at = { url, schema: fixture.schema, poolSizeMax: 4, statementTimeoutMs: 10_000 }
  const database = opened.use(await createDatabase(at))
  const handle = async (_: Uint8Array, { changeId }: { changeId: string }) => {
    handled.push(changeId)
  }
  await using broker = await brokerOf('budgeting')
  const handlers = [{ subject: 'ledger.envelope-closed', handle }]
  opened.use(await startConsumer({ name: 'budgeting', handlers, database, broker, log: silentLog }))
  await owner.stream.publish(subject, 'true', { msgID: 'true' })
  const info = () => manager.consumers.info(stream, 'budgeting')
  const { delivered } = await eventually(info, ({ ack_floor }) => ack_floor.consumer_seq === 2)
  expect([delivered.consumer_seq, handled]).toEqual([2, ['true']])
})

test('the gateway receives progress', async () => {
  await using gateway = await brokerOf('gateway')
  await using ledger = await brokerOf('ledger')
  const of = { accountId: 'acct_1', id: 'upl_1' }
  const received: string[] = []
  gateway.connection.subscribe(gateway.subject(progressSubject(of)), {
    callback: (_, message) => void received.push(message.string()),
  })
  await gateway.connection.flush()
  publishProgress(ledger, of, { done: 1 })
  expect(
    await eventually(
      async () => received,
      ({ length }) => length > 0,
    ),
  ).toEqual(['{"done":1}'])
})

test.each(['ledger', 'gateway'])('a user of an account has the permissions of %s', async (part) => {
  const [free = 0] = await freePorts(1)
  const { file, lines } = userCredentials(permissions[part])
  await using _server = await startOwnNats('accounts', free, lines)
  using folder = mkdtempDisposableSync(join(tmpdir(), 'coffer-creds-'))
  const credentialsFile = join(folder.path, `${part}.creds`)
  writeFileSync(credentialsFile, file)
  await using broker = await connectBroker({
    url: `127.0.0.1:${free}`,
    credentialsFile,
    prefix,
    serviceNames: [...serviceNames],
    user: part,
    hasStream: part !== 'gateway',
    log: silentLog,
  })
  const refused = watchRefusals(broker.connection)
  const { publish, subscribe } = foreignSubjects(prefix, part)
  for (const subject of publish) broker.connection.publish(subject)
  for (const subject of subscribe) broker.connection.subscribe(subject, { callback: () => {} })
  const expected = [...publish, ...subscribe].sort()
  await eventually(
    async () => refused.length,
    (count) => count >= expected.length,
  )
  expect(refused.sort()).toEqual(expected)
})

test('the commands of nsc have the lists of every part', async () => {
  const { stdout } = await runHere(['nats:permissions', '--nsc'], { COFFER_PREFIX: prefix })
  for (const [part, { publish, subscribe }] of Object.entries(permissions)) {
    const allowed = `  --allow-pub '${publish.join(',')}' \\\n`
    const lists = `${allowed}  --allow-sub '${subscribe.join(',')}'\n`
    expect(stdout).toContain(`nsc add user --name ${prefix}-${part} \\\n${lists}`)
  }
})
