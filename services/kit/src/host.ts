import { fileURLToPath } from 'node:url'
import { loadSigner, loadVerifiers } from './caller.ts'
import { createMesh, type Mesh } from './client.ts'
import { type Environment, readSettings } from './config.ts'
import { startConsumer } from './consumer.ts'
import { type Database, migrate, openDatabase } from './database.ts'
import { startHousekeeping } from './housekeeping.ts'
import type { Log } from './log.ts'
import type { Broker } from './nats.ts'
import { startRelay } from './relay.ts'
import { authorize, observe } from './rpc.ts'
import { createSecrets, localKeyEncryption } from './secrets.ts'
import type { Service, ServiceDefinition } from './service.ts'
import type { Workflows } from './temporal.ts'

const kitMigrations = fileURLToPath(new URL('../migrations', import.meta.url))

export interface HostOptions {
  definitions: ServiceDefinition[]
  /** Base URLs of the services that run elsewhere, by name. */
  urls: Record<string, string>
  /** Database URL of each hosted service, by name. */
  databaseUrl: (name: string) => string
  poolSizeMax: number
  statementTimeoutMs: number
  keysFolder: string
  environment: Environment
  broker: Broker
  workflows: Workflows
  log: Log
  clock: () => Date
}

/** Services running in this process. */
export interface Host extends AsyncDisposable {
  mesh: Mesh
  services: Record<string, Service>
  databases: Record<string, Database>
  /** Whether every hosted service's database answers. */
  isHealthy: () => Promise<boolean>
}

/** The folders whose SQL files make a service's schema, in order. */
export function migrationFolders(definition: ServiceDefinition): string[] {
  return [kitMigrations, fileURLToPath(definition.migrations)]
}

/** Brings the schemas of these services up to date; returns the files applied, by service. */
export async function migrateAll(
  definitions: ServiceDefinition[],
  databaseUrl: (name: string) => string,
): Promise<Record<string, string[]>> {
  const applied: Record<string, string[]> = {}
  for (const definition of definitions) {
    const { name, schema } = definition
    const folders = migrationFolders(definition)
    applied[name] = await migrate({ url: databaseUrl(name), schema, folders })
  }
  return applied
}

/**
 * Makes the services and starts what runs behind their RPCs: relay, consumer, worker, schedules.
 * Disposing stops in the reverse order and lets running work finish.
 */
export async function hostServices(options: HostOptions): Promise<Host> {
  await using stack = new AsyncDisposableStack()
  const { definitions, log, clock, broker, workflows } = options
  const interceptors = [observe(log), authorize(loadVerifiers(options.keysFolder), clock)]
  const hosted: Record<string, { routes: Service['routes']; interceptors: typeof interceptors }> =
    {}
  const mesh = stack.use(createMesh({ hosted, urls: options.urls }))
  const secrets = createSecrets(localKeyEncryption(options.keysFolder))
  const services: Record<string, Service> = {}
  const databases: Record<string, Database> = {}
  for (const definition of definitions) {
    const { name, schema } = definition
    const database = await openDatabase({ ...options, url: options.databaseUrl(name), schema })
    stack.use(database)
    const service = definition.create({
      config: readSettings(definition.settings, options.environment),
      signer: loadSigner(options.keysFolder, name),
      secrets,
      log: log.child({ service: name }),
      database,
      broker,
      workflows,
      mesh,
      clock,
    })
    stack.defer(async () => service.close?.())
    hosted[name] = { routes: service.routes, interceptors }
    services[name] = service
    databases[name] = database
    stack.use(await startRelaying({ definition, database, options }))
  }
  // Workers take their time to stop, each its own: they stop side by side.
  const behind: AsyncDisposable[] = []
  stack.defer(async () => {
    await Promise.all(behind.map((one) => one[Symbol.asyncDispose]()))
  })
  for (const [name, service] of Object.entries(services)) {
    behind.push(await startBehind({ name, service, options }))
  }
  const started = stack.move()
  return {
    mesh,
    services,
    databases,
    isHealthy: async () => {
      const healthy = Object.values(databases).map((database) => database.isHealthy())
      return (await Promise.all(healthy)).every(Boolean)
    },
    [Symbol.asyncDispose]: () => started.disposeAsync(),
  }
}

/** What publishes and sweeps, on connections of its own so that it never waits for requests. */
async function startRelaying({
  definition: { name, schema },
  database: { onChanges },
  options,
}: {
  definition: ServiceDefinition
  database: Database
  options: HostOptions
}): Promise<AsyncDisposable> {
  const { broker, log } = options
  const stack = new AsyncDisposableStack()
  const url = options.databaseUrl(name)
  const database = await openDatabase({ ...options, url, schema, poolSizeMax: 2 })
  stack.use(database)
  stack.use(startRelay({ service: name, database, onChanges, broker, log }))
  stack.use(startHousekeeping(database, log))
  return stack
}

async function startBehind({
  name,
  service,
  options: { broker, workflows, log },
}: {
  name: string
  service: Service
  options: HostOptions
}): Promise<AsyncDisposable> {
  const { handlers = [], activities = {}, workflowModules = [], schedules = [] } = service
  await using stack = new AsyncDisposableStack()
  if (Object.keys(activities).length > 0) {
    const worker = { taskQueue: name, workflows: workflowModules, activities, log }
    stack.use(await workflows.work(worker))
  }
  for (const schedule of schedules) await workflows.schedule(schedule, log)
  if (handlers.length > 0) stack.use(await startConsumer({ name, handlers, broker, log }))
  return stack.move()
}
