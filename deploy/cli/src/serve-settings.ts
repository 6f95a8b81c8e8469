import {
  settings as aggregatorSyncSettings,
  requireAggregatorSettings,
} from '@coffer/aggregator-sync/config'
import { createKeyEncryption, keySettings } from '@coffer/host/secrets/key-settings'
import { type Environment, readSettings } from '@coffer/host/settings'
import { settings as identitySettings, requireBillingSettings } from '@coffer/identity/config'
import { SettingsError } from '@coffer/kit/service/config'
import { bucketOf, settings as ledgerSettings } from '@coffer/ledger/config'
import { natsServersOf, temporalServerOf } from './broker.ts'
import { databaseUrlOf } from './databases.ts'
import { type Config, collectFaults, requireDistinct } from './environment.ts'
import type { Parts } from './parts.ts'
import type { ServiceName } from './service-names.ts'
import { requireEndpoint } from './telemetry.ts'

/** Checks of settings that depend on each other, keyed by the service that needs them. */
export const serviceChecks: Partial<Record<ServiceName, (environment: Environment) => unknown>> = {
  identity: (environment) => requireBillingSettings(readSettings(identitySettings, environment)),
  'aggregator-sync': (environment) =>
    requireAggregatorSettings(readSettings(aggregatorSyncSettings, environment)),
  ledger: (environment) => bucketOf(readSettings(ledgerSettings, environment)),
}

/**
 * Checks the settings of the chosen parts before any server is called, so that a fault is not
 * hidden by a server that is away. Throws SettingsError naming every invalid and every missing
 * setting.
 */
export function requireServeSettings({ definitions }: Parts, config: Config): void {
  const { port, rpcPort, grpcPort, environment, keysDir } = config
  const hasServices = definitions.length > 0
  const names = definitions.map(({ name }) => name as ServiceName)
  const faults = [
    () =>
      requireDistinct({ COFFER_PORT: port, COFFER_RPC_PORT: rpcPort, COFFER_GRPC_PORT: grpcPort }),
    ...names.map((name) => () => databaseUrlOf(name, config)),
    () => natsServersOf(config),
    () => temporalServerOf(config, { hasServices }),
    () => requireEndpoint(config),
    ...names.map((name) => () => serviceChecks[name]?.(environment)),
    () => hasServices && createKeyEncryption(readSettings(keySettings, environment), keysDir),
  ].flatMap(collectFaults)
  if (faults.length > 0) throw new SettingsError([...new Set(faults)].join('\n'))
}
