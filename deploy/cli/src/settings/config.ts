import { tlsFault } from '@coffer/host/database/tls'
import { httpUrl, type Setting, setting } from '@coffer/kit/service/config'
import { z } from 'zod'
import { type ServiceName, serviceNames } from './service-names.ts'

const port = z.coerce.number().int().min(1).max(65_535)
const flag = z.stringbool()
const databaseUrl = z
  .string()
  .startsWith('postgres')
  .superRefine((url, context) => {
    const fault = tlsFault(url)
    if (fault !== null) context.addIssue(fault)
  })

/** Settings of every process. Each service and the gateway define their own settings as well. */
export const settings = {
  host: setting(
    'COFFER_HOST',
    z.string().default('127.0.0.1'),
    'Address that the ports listen on; `0.0.0.0` for all',
  ),
  port: setting('COFFER_PORT', port.default(4000), 'Port of the REST API'),
  rpcPort: setting(
    'COFFER_RPC_PORT',
    port.default(4001),
    'Port for calls between processes (Connect), `/healthz` and `/readyz`',
  ),
  rpcCa: setting(
    'COFFER_RPC_CA',
    z.string().optional(),
    'File of the CA certificates (PEM) of all processes: calls then have mutual TLS',
  ),
  rpcCertificate: setting(
    'COFFER_RPC_CERT',
    z.string().optional(),
    'File of the certificate (PEM) of this process for calls, as server and as client',
  ),
  rpcKey: setting(
    'COFFER_RPC_KEY',
    z.string().optional(),
    'File of the private key (PEM) of the certificate for calls',
  ),
  metricsPort: setting(
    'COFFER_METRICS_PORT',
    port.optional(),
    'Port for `/metrics`, `/healthz` and `/readyz`, without TLS; unset: those of `COFFER_RPC_PORT`',
  ),
  grpcPort: setting(
    'COFFER_GRPC_PORT',
    port.default(4002),
    'Port for gRPC clients, with health and reflection',
  ),
  databaseUrl: setting(
    'COFFER_DATABASE_URL',
    databaseUrl.optional(),
    'Postgres of every service without a database of its own; found while `npm start` runs',
  ),
  databaseCa: setting(
    'COFFER_DATABASE_CA',
    z.string().optional(),
    'File of CA certificates (PEM) for Postgres: connections then have verified TLS',
  ),
  databasePooler: setting(
    'COFFER_DATABASE_POOLER',
    z.enum(['none', 'transaction']).default('none'),
    'Pooler between Coffer and Postgres: `transaction` needs a role for each service',
  ),
  directDatabaseUrl: setting(
    'COFFER_DIRECT_DATABASE_URL',
    databaseUrl.optional(),
    'Postgres as the owner of the tables, past a pooler: for `migrate` and other commands',
  ),
  natsUrl: setting(
    'COFFER_NATS_URL',
    z.string().optional(),
    'URLs of NATS with JetStream, separated by commas; found while `npm start` runs',
  ),
  natsCredentials: setting(
    'COFFER_NATS_CREDENTIALS',
    z.string().optional(),
    'File with the credentials (`.creds`) or the nkey seed of the user in NATS',
  ),
  natsCa: setting(
    'COFFER_NATS_CA',
    z.string().optional(),
    'File of CA certificates (PEM) for NATS: connections then have verified TLS',
  ),
  natsCertificate: setting(
    'COFFER_NATS_CERT',
    z.string().optional(),
    'File of the client certificate (PEM) for NATS',
  ),
  natsKey: setting(
    'COFFER_NATS_KEY',
    z.string().optional(),
    'File of the private key (PEM) of the client certificate for NATS',
  ),
  natsReplicas: setting(
    'COFFER_NATS_REPLICAS',
    z.coerce.number().int().min(1).max(5).default(1),
    'Copies of the JetStream stream in a NATS cluster; only ever added',
  ),
  natsStreamBytes: setting(
    'COFFER_NATS_STREAM_BYTES',
    z.coerce
      .number()
      .int()
      .min(16 * 2 ** 20)
      .default(2 ** 30),
    'Largest size of the JetStream stream in bytes; the oldest messages leave a full one',
  ),
  temporalAddress: setting(
    'COFFER_TEMPORAL_ADDRESS',
    z.string().optional(),
    'host:port of Temporal; found while `npm start` runs',
  ),
  temporalNamespace: setting(
    'COFFER_TEMPORAL_NAMESPACE',
    z.string().default('default'),
    'Namespace in Temporal',
  ),
  temporalCa: setting(
    'COFFER_TEMPORAL_CA',
    z.string().optional(),
    'File of CA certificates (PEM) for Temporal, or `system`: connections have verified TLS',
  ),
  temporalCertificate: setting(
    'COFFER_TEMPORAL_CERT',
    z.string().optional(),
    'File of the client certificate (PEM) for Temporal',
  ),
  temporalKey: setting(
    'COFFER_TEMPORAL_KEY',
    z.string().optional(),
    'File of the private key (PEM) of the client certificate for Temporal',
  ),
  temporalApiKey: setting(
    'COFFER_TEMPORAL_API_KEY',
    z.string().optional(),
    'API key for Temporal, sent over TLS only',
  ),
  prefix: setting(
    'COFFER_PREFIX',
    z
      .string()
      .regex(/^[a-z0-9_-]+$/, 'small letters, digits, - and _ only')
      .default('coffer'),
    'Prefix of NATS subjects, task queues and workflow IDs: deployments can share servers',
  ),
  keysDir: setting(
    'COFFER_KEYS_DIR',
    z.string().optional(),
    'Directory of the keys that sign caller tokens, the same for all processes; `<data>/keys`',
  ),
  poolSize: setting(
    'COFFER_DATABASE_POOL_SIZE',
    z.coerce.number().int().min(1).max(1000).default(10),
    'Connections to Postgres for each service of a process; reads share two of them if 4 or more',
  ),
  statementTimeoutMs: setting(
    'COFFER_STATEMENT_TIMEOUT_MS',
    z.coerce.number().int().min(100).default(10_000),
    'Timeout of an SQL statement, in ms',
  ),
  connectionWaitMs: setting(
    'COFFER_DATABASE_WAIT_MS',
    z.coerce.number().int().min(100).default(3_000),
    'Timeout of waiting for a connection to Postgres, in ms; the request is then 503',
  ),
  lameDuckSeconds: setting(
    'COFFER_LAME_DUCK_SECONDS',
    z.coerce.number().int().min(0).max(300).default(5),
    'Seconds of service after a stop signal, while the process reports not ready',
  ),
  logLevel: setting(
    'COFFER_LOG_LEVEL',
    z.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']).default('info'),
    'Lowest level of log lines on standard error',
  ),
  traceRatio: setting(
    'COFFER_TRACE_RATIO',
    z.coerce.number().min(0).max(1).default(0),
    'Share of requests that are traced, from 0 to 1',
  ),
  otlpEndpoint: setting(
    'OTEL_EXPORTER_OTLP_ENDPOINT',
    httpUrl.transform((url) => url.replace(/\/$/, '')).optional(),
    'Base URL of an OTLP collector (protobuf over HTTP): `http://collector:4318`',
  ),
  otlpMetricsSeconds: setting(
    'COFFER_OTLP_METRICS_SECONDS',
    z.coerce.number().int().min(0).max(3_600).default(0),
    'Seconds between exports of the metrics over OTLP; 0 exports none',
  ),
  demo: setting('COFFER_DEMO', flag.default(true), 'Load the demo data at the first `npm start`'),
}

const serviceUrls = z
  .string()
  .refine((text) => text.split(',').every((url) => httpUrl.safeParse(url.trim()).success), {
    error: 'must be http or https URLs, separated by commas',
  })

/** `COFFER_<SERVICE>_URL`: the addresses of a service that other processes host. */
export const urlSettings = forEachService((variable) =>
  setting(
    `COFFER_${variable}_URL`,
    serviceUrls.optional(),
    'Addresses of the service elsewhere, separated by commas: `http://host:4001`, or https',
  ),
)

/** `COFFER_<SERVICE>_DATABASE_URL`: the database of one service. */
export const databaseUrlSettings = forEachService((variable) =>
  setting(
    `COFFER_${variable}_DATABASE_URL`,
    databaseUrl.optional(),
    'Postgres of this service alone',
  ),
)

/** `COFFER_<SERVICE>_DIRECT_DATABASE_URL`: the database of one service, bypassing its pooler. */
export const directUrlSettings = forEachService((variable) =>
  setting(
    `COFFER_${variable}_DIRECT_DATABASE_URL`,
    databaseUrl.optional(),
    'Postgres of this service alone, past the pooler',
  ),
)

function forEachService<T>(
  make: (variable: string) => Setting<T>,
): Record<ServiceName, Setting<T>> {
  const entries = serviceNames.map((name) => [name, make(name.replaceAll('-', '_').toUpperCase())])
  return Object.fromEntries(entries)
}
