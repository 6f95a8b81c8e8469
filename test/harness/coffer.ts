import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { definitions } from '@coffer/cli/process/services'
import { settings } from '@coffer/gateway/config'
import { type GatewayOptions, startGateway } from '@coffer/gateway/main'
import { createDatabase } from '@coffer/host/database/pool'
import { createLog } from '@coffer/host/logger'
import { createMesh } from '@coffer/host/rpc/mesh'
import { loadSigner } from '@coffer/host/rpc/signing-key'
import { readSettings } from '@coffer/host/settings'
import { type Booted, boot } from '@coffer/host/testing/boot'
import type { Database } from '@coffer/kit/database/database'
import { eachService, startReplicas } from '../replicas/replicas.ts'
import { checkAnswersOf } from './answer-check.ts'
import { newPerson, type Person } from './person.ts'

/** All services and the gateway on a new database, in this process by default. */
export interface Coffer extends AsyncDisposable {
  baseUrl: string
  /** Directory of uploaded files. */
  dataDir: string
  booted: Booted
  /** Registers a person and creates an API key. */
  person: (settings?: { timezone?: string; locale?: string }) => Promise<Person>
  /** Starts another gateway of these services. */
  startGateway: (more: Pick<GatewayOptions, 'progressTimes' | 'webFolder'>) => Promise<Gateway>
}

interface Gateway extends AsyncDisposable {
  baseUrl: string
}

/**
 * Starts every service and the gateway on a free port; `environment` overrides settings. With the
 * variable COFFER_TEST_REPLICAS starts so many processes of each, behind a balancer.
 */
export async function startCoffer(
  environment: Record<string, string> = {},
  services = definitions,
): Promise<Coffer> {
  const count = Number(process.env.COFFER_TEST_REPLICAS ?? 0)
  if (count > 0) return startMesh(count, environment)
  const stack = new AsyncDisposableStack()
  const dataDir = await mkdtemp(join(tmpdir(), 'coffer-data-'))
  stack.defer(() => rm(dataDir, { recursive: true, force: true }))
  const settled = {
    COFFER_ALLOW_SIGN_UP: 'true',
    COFFER_UPLOADS_ENABLED: 'true',
    COFFER_DATA_DIR: dataDir,
    // All clients of a test have one network address, and the sign-in limit counts by network.
    COFFER_SIGN_IN_LIMIT_PER_MINUTE: '1000',
    ...environment,
  }
  const booted = stack.use(await boot(services, settled))
  const serve = (more: Pick<GatewayOptions, 'progressTimes' | 'webFolder'>) =>
    serveGateway(booted, settled, more)
  const { baseUrl } = stack.use(await serve({}))
  stack.use(checkAnswersOf(baseUrl))
  return {
    baseUrl,
    dataDir,
    booted,
    person: (choices) => newPerson(baseUrl, choices),
    startGateway: serve,
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  }
}

/** Starts a mesh. The clock of its processes cannot be moved, nor can gateways be added. */
async function startMesh(count: number, environment: Record<string, string>): Promise<Coffer> {
  const stack = new AsyncDisposableStack()
  const { baseUrl, deployment, members } = stack.use(
    await startReplicas({ kinds: eachService, count, environment }),
  )
  const { databaseUrl: url, dataDir } = deployment
  const databases = new Map<string, Database>()
  for (const { name, schema } of definitions) {
    const options = { url, schema, poolSizeMax: 1, statementTimeoutMs: 10_000 }
    databases.set(name, stack.use(await createDatabase(options)))
  }
  const database = (name: string) => databases.get(name) as Database
  const urls = Object.fromEntries(members.map(({ name, url }) => [name.replace(/-1$/, ''), url]))
  const { client, ...mesh } = createMesh({ hosted: {}, urls })
  stack.defer(() => mesh[Symbol.dispose]())
  const keysFolder = join(dataDir, 'keys')
  return {
    baseUrl,
    dataDir,
    booted: { database, client, keysFolder, clock: { now: null } } as Booted,
    person: (choices) => newPerson(baseUrl, choices),
    startGateway: () => Promise.reject(new Error('a mesh has its gateways')),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  }
}

async function serveGateway(
  booted: Booted,
  environment: Record<string, string>,
  more: Pick<GatewayOptions, 'progressTimes' | 'webFolder'>,
): Promise<Gateway> {
  const gateway = await startGateway({
    config: readSettings(settings, environment),
    mesh: booted.host.mesh,
    signer: loadSigner(booted.keysFolder, 'gateway'),
    broker: booted.broker,
    isHealthy: booted.isHealthy,
    clock: () => booted.clock.now ?? new Date(),
    log: createLog({ level: process.env.COFFER_LOG_LEVEL ?? 'silent', name: 'test' }),
    host: '127.0.0.1',
    port: 0,
    ...more,
  })
  return {
    baseUrl: `http://127.0.0.1:${gateway.port}`,
    [Symbol.asyncDispose]: () => gateway[Symbol.asyncDispose](),
  }
}
