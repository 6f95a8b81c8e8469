import { httpUrl, type Setting, setting } from '@coffer/kit/service/config'
import { z } from 'zod'
import { type ServiceName, serviceNames } from '../service-names.ts'

const port = z.coerce.number().int().min(1).max(65_535)
const flag = z.stringbool()

/** What a process needs to know that none of its services owns. */
export const settings = {
  host: setting(
    'COFFER_HOST',
    z.string().default('127.0.0.1'),
    'Address that the ports listen on; 0.0.0.0 for all',
  ),
  port: setting('COFFER_PORT', port.default(4000), 'Port of the REST API'),
  rpcPort: setting(
    'COFFER_RPC_PORT',
    port.default(4001),
    'Port for calls between processes (Connect), `/healthz`, `/readyz` and `/metrics`',
  ),
  grpcPort: setting(
    'COFFER_GRPC_PORT',
    port.default(4002),
    'Port for gRPC clients, with health and reflection',
  ),
  databaseUrl: setting(
    'COFFER_DATABASE_URL',
    z.string().startsWith('postgres').optional(),
    'Postgres of every service that has none of its own; found by itself while `npm start` runs',
  ),
  natsUrl: setting('COFFER_NATS_URL', z.string().optional(), 'NATS with JetStream; found likewise'),
  temporalAddress: setting(
    'COFFER_TEMPORAL_ADDRESS',
    z.string().optional(),
    'host:port of Temporal; found likewise',
  ),
  temporalNamespace: setting(
    'COFFER_TEMPORAL_NAMESPACE',
    z.string().default('default'),
    'Namespace in Temporal',
  ),
  prefix: setting(
    'COFFER_PREFIX',
    z
      .string()
      .regex(/^[a-z0-9_-]+$/, 'small letters, digits, - and _ only')
      .default('coffer'),
    'Put before subjects, task queues and workflow IDs, so that deployments can share servers',
  ),
  keysDir: setting(
    'COFFER_KEYS_DIR',
    z.string().optional(),
    'Directory of the keys that vouch for callers, the same for all processes; `<data>/keys`',
  ),
  poolSize: setting(
    'COFFER_DATABASE_POOL_SIZE',
    z.coerce.number().int().min(1).max(1000).default(10),
    'Connections to Postgres for each service that a process hosts',
  ),
  statementTimeoutMs: setting(
    'COFFER_STATEMENT_TIMEOUT_MS',
    z.coerce.number().int().min(100).default(10_000),
    'Longest time a statement may take, in milliseconds',
  ),
  connectionWaitMs: setting(
    'COFFER_DATABASE_WAIT_MS',
    z.coerce.number().int().min(100).default(3_000),
    'Longest wait for a connection to Postgres, in milliseconds; then a request is 503',
  ),
  lameDuckSeconds: setting(
    'COFFER_LAME_DUCK_SECONDS',
    z.coerce.number().int().min(0).max(300).default(5),
    'How long a process that is told to stop goes on serving, while it says that it is not ready',
  ),
  logLevel: setting(
    'COFFER_LOG_LEVEL',
    z.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']).default('info'),
    'Least level of the log lines on standard error',
  ),
  demo: setting(
    'COFFER_DEMO',
    flag.default(true),
    'Whether `npm start` loads the demo data on its first start',
  ),
}

/** `COFFER_LEDGER_URL` and its like: where a service is that another process hosts. */
export const urlSettings = forEachService((variable) =>
  setting(
    `COFFER_${variable}_URL`,
    httpUrl.optional(),
    'Address of the service where another process hosts it, `http://host:4001` for one',
  ),
)

/** `COFFER_LEDGER_DATABASE_URL` and its like. */
export const databaseUrlSettings = forEachService((variable) =>
  setting(
    `COFFER_${variable}_DATABASE_URL`,
    z.string().startsWith('postgres').optional(),
    'Postgres of this service alone',
  ),
)

function forEachService<T>(
  make: (variable: string) => Setting<T>,
): Record<ServiceName, Setting<T>> {
  const entries = serviceNames.map((name) => [name, make(name.replaceAll('-', '_').toUpperCase())])
  return Object.fromEntries(entries)
}
