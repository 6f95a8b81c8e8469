import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { inspect } from 'node:util'
import type { DescService } from '@bufbuild/protobuf'
import type { Database } from '@coffer/kit/database/database'
import type { Broker } from '@coffer/kit/events/broker'
import { type Caller, mintCaller } from '@coffer/kit/rpc/caller'
import { asCaller } from '@coffer/kit/rpc/rpc'
import type { ServiceDefinition } from '@coffer/kit/service/service'
import { newId } from '@coffer/kit/values/id'
import type { CallOptions, Client } from '@connectrpc/connect'
import { jetstreamManager } from '@nats-io/jetstream'
import { type QuerySqlToken, sql } from 'slonik'
import { z } from 'zod'
import { connectBroker } from '../src/events/nats.ts'
import { type Host, hostServices } from '../src/host.ts'
import { createLog } from '../src/logger.ts'
import { loadSigner } from '../src/rpc/signing-key.ts'
import type { Temporal } from '../src/workflows/temporal.ts'
import { connectTemporal } from '../src/workflows/temporal.ts'
import { cloneDatabase, requiredVariable } from './database.ts'
import { workOnDemand } from './on-demand.ts'
import { silentLog } from './silent-log.ts'
import { createStatementLog, type LoggedDatabase, type StatementLog } from './statement-log.ts'

/** Matches background statements of consumers, which tests leave out of their counts. */
export const ofConsumers = /\bdeleted_accounts\b/

/** Runs `work`; returns its result and the number of SQL statements that it sent. */
export async function counted<Result>(
  database: StatementLog,
  work: () => Promise<Result>,
): Promise<{ count: number; result: Result }> {
  const before = database.statements(ofConsumers)
  const result = await work()
  return { count: database.statements(ofConsumers) - before, result }
}

/** Real services on a database of their own. Tests share NATS and Temporal by prefixes. */
export interface Booted extends AsyncDisposable {
  host: Host
  broker: Broker
  workflows: Temporal
  prefix: string
  databaseUrl: string
  keysFolder: string
  client: <Service extends DescService>(name: string, service: Service) => Client<Service>
  database: (name: string) => LoggedDatabase
  isHealthy: () => Promise<boolean>
  /** Returns call options for a user of the account, as the gateway sends them. */
  as: (accountId: string, caller?: Partial<Caller>) => CallOptions
  /**
   * Lists the message types of the changes that a service emitted for an account, oldest first,
   * without `ObjectsChanged` (told.ts).
   */
  changes: (name: string, accountId: string) => Promise<readonly string[]>
  /** Current time in the services; null means the system clock. */
  clock: { now: Date | null }
}

/** In memory where the system can: each new key is written with fsync, which is slow on a disk. */
const keysHome = existsSync('/dev/shm') ? '/dev/shm' : tmpdir()

const everyService = ['identity', 'ledger', 'budgeting', 'aggregator-sync', 'feed-sync', 'notices']

/** Starts these services in this process; `environment` holds their settings. */
export async function boot(
  definitions: ServiceDefinition[],
  environment: Record<string, string> = {},
  log = createLog({ level: process.env.COFFER_LOG_LEVEL ?? 'silent', name: 'test' }),
): Promise<Booted> {
  await using opening = new AsyncDisposableStack()
  const { url } = opening.use(await cloneDatabase(definitions))
  const prefix = newId('t')
  const keysFolder = await mkdtemp(join(keysHome, 'coffer-keys-'))
  opening.defer(() => rm(keysFolder, { recursive: true, force: true }))
  const gateway = loadSigner(keysFolder, 'gateway')
  const broker = await connectTestBroker(prefix, opening)
  const address = requiredVariable('COFFER_TEST_TEMPORAL_ADDRESS')
  const workflows = workOnDemand(
    opening.use(connectTemporal({ address, namespace: 'default', prefix, log })),
  )
  const clock: Booted['clock'] = { now: null }
  const logs = new Map(definitions.map(({ schema }) => [schema, createStatementLog()]))
  const host = opening.use(
    await hostServices({
      definitions,
      urls: {},
      databaseUrl: () => url,
      poolSizeMax: 10,
      statementTimeoutMs: 10_000,
      keysFolder,
      environment,
      broker,
      workflows,
      log,
      clock: () => clock.now ?? new Date(),
      serverClock: () => clock.now ?? new Date(),
      onStatement: (text, schema, isRead) => logs.get(schema)?.onStatement(text, schema, isRead),
    }),
  )
  await host.startBackground()
  const database = (name: string): LoggedDatabase => {
    const found = host.databases[name]
    const logged = logs.get(definitions.find((one) => one.name === name)?.schema ?? '')
    if (!found || !logged) throw new Error(`${name} is not booted`)
    return Object.assign(found, logged.log)
  }
  const booted = opening.move()
  return {
    host,
    broker,
    workflows,
    prefix,
    databaseUrl: url,
    keysFolder,
    client: host.mesh.client,
    database,
    isHealthy: async () => {
      const healthy = Object.values(host.databases).map((one) => one.isHealthy())
      return (await Promise.all(healthy)).every(Boolean)
    },
    as: (accountId, caller) => {
      const user = { kind: 'session' as const, userId: newId('user'), loginId: newId('lgn') }
      const settings = { timezone: 'UTC', locale: 'en_US', subscriptionActive: true }
      const who = { accountId, ...user, ...settings, ...caller }
      return asCaller(mintCaller(gateway, who, new Date()))
    },
    changes: (name, accountId) =>
      database(name).pool.anyFirst(sql.type(z.object({ type: z.string() }))`
        SELECT type FROM changes
        WHERE account_id = ${accountId} AND type NOT LIKE '%.ObjectsChanged' ORDER BY change_id`),
    clock,
    [Symbol.asyncDispose]: () => booted.disposeAsync(),
  }
}

/** Connects to NATS with a stream of its own, which disposing deletes. */
async function connectTestBroker(prefix: string, opening: AsyncDisposableStack): Promise<Broker> {
  const url = requiredVariable('COFFER_TEST_NATS_URL')
  const broker = opening.use(
    await connectBroker({ url, prefix, serviceNames: everyService, log: silentLog }),
  )
  opening.defer(async () => {
    const manager = await jetstreamManager(broker.connection)
    await manager.streams.delete(broker.streamName)
  })
  return broker
}

/** Resolves when a statement in the database waits for a lock. */
export async function untilLockAwaited({ pool }: Database): Promise<void> {
  const isAwaited = () =>
    pool.exists(sql.unsafe`
      SELECT FROM pg_stat_activity
      WHERE datname = current_database() AND wait_event_type = 'Lock'`)
  await eventually(isAwaited, Boolean)
}

/**
 * Executes statements in a database transaction that stays open, so that their locks are held.
 * `untilAwaited` resolves when a statement waits for a lock; `release` executes `change`, if given,
 * in the same transaction, and commits it.
 */
export async function holdTransaction(database: Database, ...statements: QuerySqlToken[]) {
  const isHeld = Promise.withResolvers<void>()
  const isOver = Promise.withResolvers<QuerySqlToken | undefined>()
  const holding = database.transaction(async (tx) => {
    for (const statement of statements) await tx.query(statement)
    isHeld.resolve()
    const change = await isOver.promise
    if (change) await tx.query(change)
  })
  await Promise.race([isHeld.promise, holding])
  return {
    untilAwaited: () => untilLockAwaited(database),
    release: (change?: QuerySqlToken): Promise<void> => {
      isOver.resolve(change)
      return holding
    },
  }
}

const pollMsMax = 100

/**
 * Polls until the value satisfies the condition, at growing intervals; returns the value. Throws
 * after `timeoutMs`.
 */
export async function eventually<T>(
  read: () => Promise<T>,
  isDone: (value: T) => boolean,
  timeoutMs = 60_000,
): Promise<T> {
  const deadline = Date.now() + timeoutMs
  for (let pauseMs = 25; ; pauseMs = Math.min(1.1 * pauseMs, pollMsMax)) {
    const value = await read()
    if (isDone(value)) return value
    if (Date.now() > deadline) throw new Error(`not reached: ${inspect(value)}`)
    await sleep(pauseMs)
  }
}
