import { connectBroker } from '@coffer/host/events/nats'
import type { Temporal } from '@coffer/host/workflows/temporal'
import { connectTemporal } from '@coffer/host/workflows/temporal'
import type { Broker } from '@coffer/kit/events/broker'
import { SettingsError } from '@coffer/kit/service/config'
import type { Log } from '@coffer/kit/service/log'
import type { Config } from './environment.ts'
import { serviceNames } from './service-names.ts'

// Temporal's client requires an address; a process without services never calls Temporal.
const unusedAddress = '127.0.0.1:7233'

type Options = { hasServices: boolean; log: Log }

/**
 * Connects to NATS, and retries in the background while NATS does not answer. Throws SettingsError
 * when no setting names NATS.
 */
export async function connectNats(config: Config, log: Log): Promise<Broker> {
  const { natsUrl: url, prefix } = config
  if (url === undefined) {
    throw new SettingsError('COFFER_NATS_URL: not set; "npm start" includes NATS')
  }
  return connectBroker({ url, prefix, serviceNames: [...serviceNames], log })
}

/**
 * Creates a lazy connection to Temporal: a process without services needs no Temporal. Throws
 * SettingsError when services run here and no setting names Temporal.
 */
export function createWorkflows(config: Config, { hasServices, log }: Options): Temporal {
  const { temporalAddress, temporalNamespace: namespace, prefix } = config
  if (temporalAddress === undefined && hasServices) {
    throw new SettingsError('COFFER_TEMPORAL_ADDRESS: not set; "npm start" includes Temporal')
  }
  const address = temporalAddress ?? unusedAddress
  return connectTemporal({ address, namespace, prefix, log })
}
