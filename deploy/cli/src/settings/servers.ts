import type { Pooler } from '@coffer/host/database/pool'
import { withCa } from '@coffer/host/database/tls'
import { type NatsServers, natsFault } from '@coffer/host/events/nats-servers'
import { type TemporalServer, temporalFault } from '@coffer/host/workflows/temporal-server'
import { SettingsError } from '@coffer/kit/service/config'
import { databaseUrlSettings } from './config.ts'
import type { Config } from './environment.ts'
import type { ServiceName } from './service-names.ts'

type DatabaseConfig = Pick<Config, 'databaseCa' | 'databaseUrl' | 'databaseUrls'>
/** Settings of the direct URLs of databases, which bypass a pooler. */
export type DirectConfig = DatabaseConfig & Pick<Config, 'directDatabaseUrl' | 'directDatabaseUrls'>

/**
 * Returns the URL of a service's database, with the CA certificates of `COFFER_DATABASE_CA`.
 * Throws SettingsError when no setting names it.
 */
export function databaseUrlOf(name: string, config: DatabaseConfig): string {
  const url = config.databaseUrls[name] ?? config.databaseUrl
  if (url === undefined) {
    // If other services have a URL of their own, the error names the setting of this service; else
    // that of all services.
    const { env: own } = databaseUrlSettings[name as ServiceName]
    throw new SettingsError(
      Object.keys(config.databaseUrls).length > 0
        ? `${own}: not set, nor COFFER_DATABASE_URL for all services`
        : 'COFFER_DATABASE_URL: not set; "npm start" includes a database',
    )
  }
  return withCa(url, config.databaseCa)
}

/** Returns the direct URL of a service's database, bypassing its pooler; null if none is set. */
export function directUrlOf(name: string, config: DirectConfig): string | null {
  const url = config.directDatabaseUrls[name] ?? config.directDatabaseUrl
  return url === undefined ? null : withCa(url, config.databaseCa)
}

/**
 * Returns the URL of a service's database for commands that act as the owner of its tables: the
 * direct URL if it is set. Throws SettingsError when no setting names the database.
 */
export function ownerUrlOf(name: string, config: DirectConfig): string {
  return directUrlOf(name, config) ?? databaseUrlOf(name, config)
}

/** Returns the pooler at the URL of `ownerUrlOf`: `none` for a direct URL. */
export function ownerPoolerOf(
  name: string,
  config: DirectConfig & Pick<Config, 'databasePooler'>,
): Pooler {
  return directUrlOf(name, config) === null ? config.databasePooler : 'none'
}

/** Returns URL and credentials of NATS. Throws SettingsError if they are missing or unusable. */
export function natsServersOf(config: Config): NatsServers {
  const { natsUrl } = config
  if (natsUrl === undefined) {
    throw new SettingsError('COFFER_NATS_URL: not set; "npm start" includes NATS')
  }
  const servers = {
    url: natsUrl,
    credentialsFile: config.natsCredentials,
    caFile: config.natsCa,
    certificateFile: config.natsCertificate,
    keyFile: config.natsKey,
  }
  const fault = natsFault(servers)
  if (fault !== null) throw new SettingsError(`COFFER_NATS_URL: ${fault}`)
  return servers
}

// Temporal's client requires an address, even in processes that never call Temporal.
const unusedAddress = '127.0.0.1:7233'

/**
 * Returns address and credentials of Temporal. Throws SettingsError when services run here and no
 * setting names Temporal, or its settings cannot be used.
 */
export function temporalServerOf(
  config: Config,
  { hasServices }: { hasServices: boolean },
): TemporalServer {
  const { temporalAddress } = config
  if (temporalAddress === undefined && hasServices) {
    throw new SettingsError('COFFER_TEMPORAL_ADDRESS: not set; "npm start" includes Temporal')
  }
  const server: TemporalServer = {
    address: temporalAddress ?? unusedAddress,
    caFile: config.temporalCa,
    certificateFile: config.temporalCertificate,
    keyFile: config.temporalKey,
    apiKey: config.temporalApiKey,
  }
  const fault = temporalFault(server)
  if (fault !== null) throw new SettingsError(fault)
  return server
}

/** Throws SettingsError when exports of traces or metrics are enabled without an endpoint. */
export function requireEndpoint({ traceRatio, otlpMetricsSeconds, otlpEndpoint }: Config): void {
  if (otlpEndpoint === undefined && (traceRatio > 0 || otlpMetricsSeconds > 0)) {
    const asking = traceRatio > 0 ? 'COFFER_TRACE_RATIO' : 'COFFER_OTLP_METRICS_SECONDS'
    throw new SettingsError(`${asking}: needs OTEL_EXPORTER_OTLP_ENDPOINT`)
  }
}
