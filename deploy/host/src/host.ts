import { fileURLToPath } from 'node:url'
import type { Database } from '@coffer/kit/database/database'
import type { Broker } from '@coffer/kit/events/broker'
import type { Mesh } from '@coffer/kit/rpc/mesh'
import { type Environment, readSettings } from '@coffer/kit/service/config'
import type { Log } from '@coffer/kit/service/log'
import type { Service, ServiceDefinition, ServiceDeps } from '@coffer/kit/service/service'
import type { Interceptor } from '@connectrpc/connect'
import { accountDataRoutes, type DataSource } from './accounts/account-data.rpc.ts'
import { unlessDeleted } from './accounts/deleted-accounts.ts'
import { checkMigrations, migrate, type Tables } from './database/migrations.ts'
import { createDatabase } from './database/pool.ts'
import { startConsumer } from './events/consumer.ts'
import { startRelay } from './events/relay.ts'
import { startHousekeeping } from './housekeeping.ts'
import { intercepted, type Routes } from './rpc/intercept.ts'
import { authorize, observe } from './rpc/interceptors.ts'
import { createMesh } from './rpc/mesh.ts'
import { loadSigner, loadVerifiers } from './rpc/signing-key.ts'
import { createSecrets } from './secrets/envelope-encryption.ts'
import { createKeyEncryption, keySettings } from './secrets/key-settings.ts'
import { requireSealingKey } from './secrets/sealing-key.ts'
import { serviceHealthRoutes } from './service-health.rpc.ts'
import type { Temporal } from './workflows/temporal.ts'

const kitMigrations = fileURLToPath(new URL('../../../services/kit/migrations', import.meta.url))

export interface HostOptions {
  definitions: ServiceDefinition[]
  /** Base URLs of the services in other processes, by name. */
  urls: Record<string, string>
  /** Database URL of each hosted service, by name. */
  databaseUrl: (name: string) => string
  poolSizeMax: number
  statementTimeoutMs: number
  connectionWaitMs?: number
  keysFolder: string
  environment: Environment
  broker: Broker
  workflows: Temporal
  log: Log
  clock: () => Date
}

/** The services of this process. */
export interface Host extends AsyncDisposable {
  mesh: Mesh
  services: Record<string, Service>
  databases: Record<string, Database>
  /** RPCs of all services with their interceptors. */
  routes: Routes
  /** Whether the databases of all hosted services answer. */
  isHealthy: () => Promise<boolean>
}

/** The schema of a service in the database at that URL, with the folders of its SQL files. */
export function tablesOf({ name, schema, migrations }: ServiceDefinition, url: string): Tables {
  return { service: name, url, schema, folders: [kitMigrations, fileURLToPath(migrations)] }
}

/**
 * Migrates the schemas of these services; returns the applied files by service.
 *
 * @throws {MigrationError} when a migration fails; applied files of all services are checked before
 *   the first change
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
 * Creates the services and starts their background parts: relay, consumer, worker, schedules.
 * Disposing stops them in reverse order and waits for running work.
 *
 * @throws {SettingsError} when settings or keys cannot be used
 */
export async function hostServices(options: HostOptions): Promise<Host> {
  await using stack = new AsyncDisposableStack()
  const { log, clock } = options
  const authorized = authorize(loadVerifiers(options.keysFolder), clock)
  const hosted: Record<string, { routes: Routes; interceptors: Interceptor[] }> = {}
  const mesh = stack.use(createMesh({ hosted, urls: options.urls }))
  const { environment, keysFolder } = options
  const keys = createKeyEncryption(readSettings(keySettings, environment), keysFolder)
  const secrets = createSecrets(keys)
  const created: CreatedService[] = []
  const services: Record<string, Service> = {}
  const databases: Record<string, Database> = {}
  const sources: Record<string, DataSource> = {}
  const ofProcess = combine(accountDataRoutes(sources), serviceHealthRoutes(databases))
  const observed = observe(log, (name) => Object.hasOwn(services, name))
  const routes = [intercepted(ofProcess, [observed, authorized])]
  const opened = await createDatabases(options, stack)
  await requireSealingKey(opened, keys, keysFolder)
  for (const { name, definition, database } of opened) {
    const { hidden = [] } = definition
    const service = createService({ definition, database, secrets, mesh, options })
    stack.defer(async () => service.close?.())
    const interceptors = [observe(log.child({ service: name })), authorized]
    hosted[name] = { routes: combine(service.routes, ofProcess), interceptors }
    routes.push(intercepted(service.routes, interceptors))
    services[name] = service
    databases[name] = database
    sources[name] = { database, hidden }
    stack.use(await startRelaying({ definition, database, options }))
    created.push({ name, service, database })
  }
  stack.use(await startAll(created.map((one) => startBackground(one, options))))
  const started = stack.move()
  return {
    mesh,
    services,
    databases,
    routes: combine(...routes),
    isHealthy: async () => {
      const healthy = Object.values(databases).map((database) => database.isHealthy())
      return (await Promise.all(healthy)).every(Boolean)
    },
    [Symbol.asyncDispose]: () => started.disposeAsync(),
  }
}

/** Opens the database of each service; `stack` closes them. */
async function createDatabases(
  options: HostOptions,
  stack: AsyncDisposableStack,
): Promise<{ name: string; definition: ServiceDefinition; database: Database }[]> {
  const opened = []
  for (const definition of options.definitions) {
    const { name, schema } = definition
    const database = await createDatabase({ ...options, url: options.databaseUrl(name), schema })
    opened.push({ name, definition, database: stack.use(database) })
  }
  return opened
}

/**
 * Starts all in parallel, because workers take long to start and to stop. When one fails, the
 * others are stopped and its error is thrown.
 */
async function startAll(starting: Promise<AsyncDisposable>[]): Promise<AsyncDisposable> {
  const ends = await Promise.allSettled(starting)
  const behind = ends.flatMap((end) => (end.status === 'fulfilled' ? [end.value] : []))
  const all: AsyncDisposable = {
    [Symbol.asyncDispose]: async () => {
      await Promise.all(behind.map((one) => one[Symbol.asyncDispose]()))
    },
  }
  const failed = ends.find((end) => end.status === 'rejected')
  if (!failed) return all
  // Errors while the others stop are ignored: the first error is the cause.
  await Promise.allSettled([all[Symbol.asyncDispose]()])
  throw failed.reason
}

/** A created service with its name and database. */
interface CreatedService {
  name: string
  service: Service
  database: Database
}

function combine(...all: Routes[]): Routes {
  return (router) => {
    for (const routes of all) routes(router)
  }
}

function createService({
  definition,
  options: { environment, keysFolder, broker, workflows, log, clock },
  ...made
}: {
  definition: ServiceDefinition
  options: HostOptions
} & Pick<ServiceDeps, 'database' | 'secrets' | 'mesh'>): Service {
  const { name, settings } = definition
  return definition.create({
    ...made,
    config: readSettings(settings, environment),
    signer: loadSigner(keysFolder, name),
    log: log.child({ service: name }),
    broker,
    workflows,
    clock,
  })
}

/** Outbox relay and housekeeping, on a connection pool of their own. */
async function startRelaying({
  definition: { name, schema },
  database: { onChanges },
  options,
}: {
  definition: ServiceDefinition
  database: Database
  options: HostOptions
}): Promise<AsyncDisposable> {
  const { broker } = options
  const log = options.log.child({ service: name })
  const stack = new AsyncDisposableStack()
  const url = options.databaseUrl(name)
  const database = await createDatabase({ ...options, url, schema, poolSizeMax: 2 })
  stack.use(database)
  stack.use(startRelay({ service: name, database, onChanges, broker, log }))
  stack.use(startHousekeeping(database, log))
  return stack
}

async function startBackground(
  { name, service, database }: CreatedService,
  { broker, workflows, ...options }: HostOptions,
): Promise<AsyncDisposable> {
  const log = options.log.child({ service: name })
  const { handlers = [], activities = {}, workflowModules = [], schedules = [] } = service
  const { formerSchedules = [] } = service
  await using stack = new AsyncDisposableStack()
  if (Object.keys(activities).length > 0) {
    const worker = { taskQueue: name, workflows: workflowModules, activities, log }
    stack.use(await workflows.work(worker))
  }
  for (const schedule of schedules) workflows.schedule(schedule)
  for (const id of formerSchedules) workflows.unschedule(id)
  if (handlers.length > 0) {
    stack.use(
      await startConsumer({ name, handlers: unlessDeleted(database, handlers), broker, log }),
    )
  }
  await service.ready?.()
  return stack.move()
}
