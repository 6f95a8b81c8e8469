import { fileURLToPath } from 'node:url'
import type { Database } from '@coffer/kit/database/database'
import type { Broker } from '@coffer/kit/events/broker'
import type { Log } from '@coffer/kit/service/log'
import type { Service, ServiceDefinition, ServiceDeps } from '@coffer/kit/service/service'
import { AccountDataService } from '@coffer/proto/data/v1/account_data'
import type { Interceptor } from '@connectrpc/connect'
import { accountData } from './accounts/account-data.rpc.ts'
import { unlessDeleted } from './accounts/deleted-accounts.ts'
import { checkMigrations, migrate, type Tables } from './database/migrations.ts'
import { createDatabase, type DatabaseOptions } from './database/pool.ts'
import { startConsumer } from './events/consumer.ts'
import { watchConsumer, watchOutbox } from './events/event-metrics.ts'
import { startRelay } from './events/relay.ts'
import { startStreamAudit } from './events/stream-audit.ts'
import { serviceHealthRoutes } from './health.ts'
import { startHousekeeping } from './housekeeping.ts'
import { callerVerifier } from './rpc/caller-verifier.ts'
import { intercepted, type Routes } from './rpc/intercept.ts'
import { authorize, observe } from './rpc/interceptors.ts'
import { createMesh, type HostMesh } from './rpc/mesh.ts'
import type { MeshTls } from './rpc/mesh-tls.ts'
import { loadSigner, loadVerifiers } from './rpc/signing-key.ts'
import { createSecrets } from './secrets/envelope-encryption.ts'
import { createKeyEncryption, keySettings } from './secrets/key-settings.ts'
import { requireSealingKey } from './secrets/sealing-key.ts'
import { type Environment, readSettings } from './settings.ts'
import { createVitals, type Vitals } from './vitals.ts'
import { type Temporal, workflowQueue } from './workflows/temporal.ts'
import { listWorkflows } from './workflows/workflow-bundle.ts'

const kitMigrations = fileURLToPath(new URL('../../kit/migrations', import.meta.url))

export interface HostOptions extends Omit<DatabaseOptions, 'url' | 'schema'> {
  definitions: ServiceDefinition[]
  /** Base URLs of the services in other processes, by service name. */
  urls: Record<string, string>
  /** Certificates of calls to other processes; null without TLS. */
  tls?: MeshTls | null
  databaseUrl: (name: string) => string
  keysFolder: string
  environment: Environment
  broker: Broker
  workflows: Temporal
  log: Log
  clock: () => Date
}

/** The running services of this process. */
export interface Host extends AsyncDisposable {
  mesh: HostMesh
  services: Record<string, Service>
  databases: Record<string, Database>
  /** RPC routes of all services, with their interceptors. */
  routes: Routes
  /**
   * Starts the consumers, workers and schedules. Called once the ports are open, because these
   * parts load much code that no request needs. Resolves after the first attempt to start each.
   */
  startBackground: () => Promise<void>
  /** Whether `startBackground` is running: loading code blocks the event loop meanwhile. */
  isStarting: () => boolean
  vitals: Vitals
}

/** Returns what `migrate` needs for a service: database URL, Postgres schema, migration folders. */
export function tablesOf({ name, schema, migrations }: ServiceDefinition, url: string): Tables {
  return { service: name, url, schema, folders: [kitMigrations, fileURLToPath(migrations)] }
}

/**
 * Migrates the schemas of these services; returns the applied files by service. Checks all services
 * before the first change.
 * @throws {MigrationError} when a migration is refused or fails
 */
export async function migrateAll(
  definitions: ServiceDefinition[],
  databaseUrl: (name: string) => string,
): Promise<Record<string, string[]>> {
  const all = definitions.map((definition) => tablesOf(definition, databaseUrl(definition.name)))
  for (const tables of all) await checkMigrations(tables)
  const applied: Record<string, string[]> = {}
  for (const tables of all) applied[tables.service] = await migrate(tables)
  return applied
}

/**
 * Creates the services and starts their outbox relays. Disposing stops all parts in reverse order
 * and waits for running work.
 * @throws {SettingsError} when settings or keys cannot be used
 */
export async function hostServices(options: HostOptions): Promise<Host> {
  await using stack = new AsyncDisposableStack()
  const { log, clock } = options
  const verify = callerVerifier(loadVerifiers(options.keysFolder))
  const authorized = (services: string[]) => authorize({ verify, clock, services })
  const hosted: Record<string, { routes: Routes; interceptors: Interceptor[] }> = {}
  const mesh = stack.use(createMesh({ hosted, urls: options.urls, tls: options.tls ?? null }))
  const { environment, keysFolder } = options
  const keys = createKeyEncryption(readSettings(keySettings, environment), keysFolder)
  const secrets = createSecrets(keys)
  const opened: (ServiceDefinition & { database: Database })[] = []
  for (const definition of options.definitions) {
    const database = stack.use(await createServiceDatabase(definition, options))
    opened.push({ ...definition, database })
  }
  await requireSealingKey(opened, keys, keysFolder)
  const vitals = createVitals()
  const stop = new AbortController()
  let starts = true
  const isStarting = () => starts
  const services: Record<string, Service> = {}
  const databases = Object.fromEntries(opened.map(({ name, database }) => [name, database]))
  const ofAccounts: Routes = (router) => router.service(AccountDataService, accountData(opened))
  const ofProcess = combine(ofAccounts, serviceHealthRoutes(databases))
  const observed = observe(log, (name) => Object.hasOwn(services, name))
  const routes = [intercepted(ofProcess, [observed, authorized(Object.keys(databases))])]
  const starting: (() => Promise<AsyncDisposable>)[] = []
  for (const definition of opened) {
    const { name, database } = definition
    const made = { database, secrets, mesh, stopping: stop.signal }
    const service = createService(definition, made, options)
    stack.defer(async () => service.close?.())
    const interceptors = [observe(log.child({ service: name })), authorized([name])]
    hosted[name] = { routes: combine(service.routes, ofProcess), interceptors }
    routes.push(intercepted(service.routes, interceptors))
    services[name] = service
    const parts = { ...options, database, vitals, isStarting }
    stack.use(await startRelaying(definition, parts))
    starting.push(() => startConsuming(name, service, parts))
  }
  if (opened.length > 0) starting.push(() => startWorkflowWorker(options))
  let background: Promise<AsyncDisposable> | undefined
  stack.defer(async () => {
    stop.abort()
    const parts = await background?.catch(() => null)
    await parts?.[Symbol.asyncDispose]()
  })
  const started = stack.move()
  return {
    mesh,
    services,
    databases,
    routes: combine(...routes),
    startBackground: async () => {
      background = startAll(starting.map((start) => start()))
      await background.finally(() => {
        starts = false
      })
      // After the background parts have started: loading their code blocks the event loop, so calls
      // to Temporal would time out before.
      for (const service of Object.values(services)) keepSchedules(service, options)
    },
    isStarting,
    vitals,
    [Symbol.asyncDispose]: () => started.disposeAsync(),
  }
}

function createServiceDatabase(
  { name, schema }: ServiceDefinition,
  options: HostOptions,
): Promise<Database> {
  return createDatabase({ ...options, url: options.databaseUrl(name), schema })
}

/**
 * Starts all parts in parallel, because Temporal workers are slow to start and stop. If one fails,
 * stops the others and throws its error.
 */
async function startAll(starting: Promise<AsyncDisposable>[]): Promise<AsyncDisposable> {
  const ends = await Promise.allSettled(starting)
  const started = ends.flatMap((end) => (end.status === 'fulfilled' ? [end.value] : []))
  const stop = async () => {
    await Promise.all(started.map((one) => one[Symbol.asyncDispose]()))
  }
  const failed = ends.find((end) => end.status === 'rejected')
  if (!failed) return { [Symbol.asyncDispose]: stop }
  // An error of `stop` is ignored: the caller gets the error of the part that failed to start.
  await stop().catch(() => undefined)
  throw failed.reason
}

function combine(...all: Routes[]): Routes {
  return (router) => {
    for (const routes of all) routes(router)
  }
}

function createService(
  { name, settings, create }: ServiceDefinition,
  made: Pick<ServiceDeps, 'database' | 'secrets' | 'mesh' | 'stopping'>,
  { environment, keysFolder, broker, workflows, log, clock }: HostOptions,
): Service {
  return create({
    ...made,
    config: readSettings(settings, environment),
    signer: loadSigner(keysFolder, name),
    log: log.child({ service: name }),
    broker,
    workflows,
    clock,
  })
}

/** Dependencies of the background parts of a service. */
type Background = HostOptions & { database: Database; vitals: Vitals; isStarting: () => boolean }

/** Starts the outbox relay and the deletion of expired rows, on their own connection pool. */
async function startRelaying(
  definition: ServiceDefinition,
  options: Background,
): Promise<AsyncDisposable> {
  const { name: service } = definition
  const { broker, vitals, isStarting } = options
  const { onChanges } = options.database
  const log = options.log.child({ service })
  const stack = new AsyncDisposableStack()
  const { onStatement: _, ...ofBackground } = options
  const database = stack.use(
    await createServiceDatabase(definition, { ...ofBackground, poolSizeMax: 2 }),
  )
  const beat = vitals.watch(`the outbox relay of ${service}`)
  stack.use(startRelay({ service, database, onChanges, broker, log, isStarting, beat }))
  stack.use(watchOutbox(service, database))
  stack.use(startStreamAudit({ service, database, broker, log }))
  stack.use(startHousekeeping(database, log))
  return stack
}

/** Starts a worker for the workflows of all services. */
function startWorkflowWorker({ workflows, log }: HostOptions): Promise<AsyncDisposable> {
  const modules = listWorkflows()
  return workflows.work({ taskQueue: workflowQueue, workflows: modules, activities: {}, log })
}

/** Creates the schedules of a service in the background, and deletes its former schedules. */
function keepSchedules(
  { schedules = [], formerSchedules = [] }: Service,
  { workflows }: HostOptions,
): void {
  for (const schedule of schedules) workflows.schedule(schedule)
  for (const id of formerSchedules) workflows.unschedule(id)
}

async function startConsuming(
  name: string,
  service: Service,
  { broker, workflows, database, vitals, ...options }: Background,
): Promise<AsyncDisposable> {
  const log = options.log.child({ service: name })
  const { handlers = [], activities = {} } = service
  await using stack = new AsyncDisposableStack()
  if (Object.keys(activities).length > 0) {
    stack.use(await workflows.work({ taskQueue: name, workflows: [], activities, log }))
  }
  if (handlers.length > 0) {
    const known = unlessDeleted(database, handlers)
    const beat = vitals.watch(`the consumer of ${name}`)
    stack.use(await startConsumer({ name, handlers: known, database, broker, log, beat }))
    stack.use(watchConsumer(name, broker))
  }
  return stack.move()
}
