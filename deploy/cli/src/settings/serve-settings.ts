import {
  settings as aggregatorSyncSettings,
  requireAggregatorSettings,
} from '@coffer/aggregator-sync/config'
import {
  loadMeshTls,
  type MeshTls,
  requireTlsFiles,
  type TlsFiles,
} from '@coffer/host/rpc/mesh-tls'
import { createKeyEncryption, keySettings } from '@coffer/host/secrets/key-settings'
import { type Environment, readSettings } from '@coffer/host/settings'
import { settings as identitySettings, requireBillingSettings } from '@coffer/identity/config'
import { SettingsError } from '@coffer/kit/service/config'
import type { Log } from '@coffer/kit/service/log'
import { bucketOf, settings as ledgerSettings } from '@coffer/ledger/config'
import { urlSettings } from './config.ts'
import { type Config, collectFaults, portsOf, requireDistinct } from './environment.ts'
import { databaseUrlOf, natsServersOf, requireEndpoint, temporalServerOf } from './servers.ts'
import type { ServiceName } from './service-names.ts'

/** Checks of settings that depend on each other, keyed by the service that needs them. */
export const serviceChecks: Partial<Record<ServiceName, (environment: Environment) => unknown>> = {
  identity: (environment) => requireBillingSettings(readSettings(identitySettings, environment)),
  'aggregator-sync': (environment) =>
    requireAggregatorSettings(readSettings(aggregatorSyncSettings, environment)),
  ledger: (environment) => bucketOf(readSettings(ledgerSettings, environment)),
}

/**
 * Checks the settings of the chosen services before any connection, so that an unreachable server
 * does not hide a fault. Throws SettingsError naming every invalid and every missing setting.
 */
export function requireServeSettings(names: readonly ServiceName[], config: Config): void {
  const { environment, keysDir } = config
  const hasServices = names.length > 0
  const faults = [
    () => requireDistinct(portsOf(config)),
    () => requireMeshTls(config),
    ...names.map((name) => () => databaseUrlOf(name, config)),
    () => natsServersOf(config),
    () => temporalServerOf(config, { hasServices }),
    () => requireEndpoint(config),
    ...names.map((name) => () => serviceChecks[name]?.(environment)),
    () => hasServices && createKeyEncryption(readSettings(keySettings, environment), keysDir),
  ].flatMap(collectFaults)
  if (faults.length > 0) throw new SettingsError([...new Set(faults)].join('\n'))
}

/** Loads the certificates of RPC; null without TLS. Throws SettingsError like `loadMeshTls`. */
export function openMeshTls(config: Config, log: Log): MeshTls | null {
  const files = tlsFilesOf(config)
  return files === null ? null : loadMeshTls(files, log)
}

/**
 * Returns the files of mutual TLS between processes, null without TLS. Throws SettingsError when
 * some of the three settings are missing.
 */
function tlsFilesOf({ rpcCa, rpcCertificate, rpcKey }: Config): TlsFiles | null {
  const files = { COFFER_RPC_CA: rpcCa, COFFER_RPC_CERT: rpcCertificate, COFFER_RPC_KEY: rpcKey }
  const missing = Object.entries(files).flatMap(([name, file]) => (file ? [] : [name]))
  if (missing.length === 0) return files as TlsFiles
  if (missing.length === 3) return null
  const text = 'not set: calls with TLS need COFFER_RPC_CA, COFFER_RPC_CERT and COFFER_RPC_KEY'
  throw new SettingsError(missing.map((name) => `${name}: ${text}`).join('\n'))
}

/**
 * Checks the settings of TLS between processes and their files. Throws SettingsError naming each
 * file that cannot be used, each address with the wrong protocol (https with TLS, else http), and
 * a missing port of metrics, which probes need because the RPC port requires a certificate.
 */
function requireMeshTls(config: Config): void {
  const files = tlsFilesOf(config)
  if (files !== null) requireTlsFiles(files)
  const protocol = files === null ? 'http:' : 'https:'
  const why = files === null ? 'without COFFER_RPC_CERT' : 'with COFFER_RPC_CERT'
  const faults = Object.entries(config.urls)
    .filter(
      ([, urls]) => !urls.split(',').every((url) => new URL(url.trim()).protocol === protocol),
    )
    .map(([name]) => `${urlSettings[name as ServiceName].env}: must begin with ${protocol} ${why}`)
  if (files !== null && config.metricsPort === undefined) {
    faults.push('COFFER_METRICS_PORT: not set: with COFFER_RPC_CERT, probes and metrics need it')
  }
  if (faults.length > 0) throw new SettingsError(faults.join('\n'))
}
