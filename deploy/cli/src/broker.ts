import { connectBroker } from '@coffer/host/events/nats'
import { type NatsServers, natsFault } from '@coffer/host/events/nats-servers'
import type { Temporal } from '@coffer/host/workflows/temporal'
import { connectTemporal } from '@coffer/host/workflows/temporal'
import { type TemporalServer, temporalFault } from '@coffer/host/workflows/temporal-server'
import type { Broker } from '@coffer/kit/events/broker'
import { SettingsError } from '@coffer/kit/service/config'
import type { Log } from '@coffer/kit/service/log'
import type { Config } from './environment.ts'
import { type PartName, serviceNames } from './service-names.ts'

// Temporal's client requires an address; a process without services never calls Temporal.
const unusedAddress = '127.0.0.1:7233'

type Options = { hasServices: boolean; log: Log }

/**
 * Connects to NATS as the user of a part, by default the operator, and retries in the background
 * while NATS does not answer. A process without services publishes no changes, so it needs no
 * stream. Throws SettingsError when no setting names NATS, or its settings cannot be used.
 */
export async function connectNats(
  config: Config,
  log: Log,
  as: { user?: PartName; hasStream?: boolean } = {},
): Promise<Broker> {
  const { prefix, natsReplicas: replicas, natsStreamBytes: bytesMax } = config
  return connectBroker({
    ...natsServersOf(config),
    prefix,
    serviceNames: [...serviceNames],
    replicas,
    bytesMax,
    log,
    ...as,
  })
}

/** Throws SettingsError when no setting names NATS, or its settings cannot be used. */
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

/**
 * Creates a lazy connection to Temporal: a process without services needs no Temporal. Throws
 * SettingsError when services run here and no setting names Temporal, or its settings cannot be
 * used.
 */
export function createWorkflows(config: Config, { hasServices, log }: Options): Temporal {
  const { temporalNamespace: namespace, prefix } = config
  return connectTemporal({ ...temporalServerOf(config, { hasServices }), namespace, prefix, log })
}

/**
 * Throws SettingsError when services run here and no setting names Temporal, or its settings
 * cannot be used.
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
