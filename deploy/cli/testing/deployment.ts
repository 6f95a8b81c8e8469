import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { cloneDatabase, requiredVariable } from '@coffer/host/testing/database'
import { newId } from '@coffer/kit/values/id'
import { freePorts } from '@coffer/local/ports'
import { definitions } from '../src/process/services.ts'

/** A test deployment; `env` starts its processes. Disposing deletes its database and files. */
export interface Deployment extends AsyncDisposable {
  env: Record<string, string>
  databaseUrl: string
  /** Address of the REST API. */
  baseUrl: string
}

/** Creates a deployment with its own database, prefix, ports and data directory. */
export async function deployment(): Promise<Deployment> {
  const stack = new AsyncDisposableStack()
  const { url: databaseUrl } = stack.use(await cloneDatabase(definitions))
  const dataDir = await mkdtemp(join(tmpdir(), 'coffer-data-'))
  stack.defer(() => rm(dataDir, { recursive: true, force: true }))
  const [port, rpcPort, grpcPort] = await freePorts(3)
  return {
    databaseUrl,
    baseUrl: `http://127.0.0.1:${port}`,
    env: {
      COFFER_DATABASE_URL: databaseUrl,
      COFFER_NATS_URL: requiredVariable('COFFER_TEST_NATS_URL'),
      COFFER_TEMPORAL_ADDRESS: requiredVariable('COFFER_TEST_TEMPORAL_ADDRESS'),
      COFFER_PREFIX: newId('t'),
      COFFER_DATA_DIR: dataDir,
      COFFER_PORT: String(port),
      COFFER_RPC_PORT: String(rpcPort),
      COFFER_GRPC_PORT: String(grpcPort),
      COFFER_LOG_LEVEL: 'warn',
      COFFER_LAME_DUCK_SECONDS: '0',
      COFFER_ALLOW_SIGN_UP: 'true',
      COFFER_UPLOADS_ENABLED: 'true',
      // Rate limits count by network, and all clients of a test share one.
      COFFER_SIGN_IN_LIMIT_PER_MINUTE: '1000',
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  }
}
