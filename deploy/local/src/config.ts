import { resolve } from 'node:path'
import { type Environment, readSettings } from '@coffer/host/settings'
import { setting } from '@coffer/kit/service/config'
import { z } from 'zod'
import type { Ports } from './ports.ts'

const port = z.coerce.number().int().min(1).max(65_535)

/** Settings of `npm start` and of the commands that use its servers. */
export const settings = {
  dataDir: setting(
    'COFFER_DATA_DIR',
    z.string().default('.coffer'),
    'Directory of all data on this machine',
  ),
  postgresPort: setting(
    'COFFER_POSTGRES_PORT',
    port.default(4032),
    'Port of the Postgres that `npm start` runs',
  ),
  natsPort: setting(
    'COFFER_NATS_PORT',
    port.default(4033),
    'Port of the NATS that `npm start` runs',
  ),
  temporalPort: setting(
    'COFFER_TEMPORAL_PORT',
    port.default(4034),
    'Port of the Temporal that `npm start` runs',
  ),
  tryFeedPort: setting(
    'COFFER_TRY_FEED_PORT',
    port.default(4035),
    'Port of the simulated feed of `npm start -- --try-feed`',
  ),
  tryAggregatorPort: setting(
    'COFFER_TRY_AGGREGATOR_PORT',
    port.default(4036),
    'Port of the simulated Plaid of `npm start -- --try-aggregator`',
  ),
}

/**
 * Returns the data directory as an absolute path, and the ports of the servers of `npm start`.
 * Throws SettingsError naming every invalid setting.
 */
export function machineConfig(env: Environment): {
  dataDir: string
  ports: Ports
  /** Ports of the simulated providers. */
  tryPorts: { feed: number; aggregator: number }
} {
  const { dataDir, ...ports } = readSettings(settings, env)
  const { postgresPort, natsPort, temporalPort, tryFeedPort, tryAggregatorPort } = ports
  return {
    dataDir: resolve(dataDir),
    ports: { postgres: postgresPort, nats: natsPort, temporal: temporalPort },
    tryPorts: { feed: tryFeedPort, aggregator: tryAggregatorPort },
  }
}
