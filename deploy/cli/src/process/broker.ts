import { connectBroker } from '@coffer/host/events/nats'
import type { Temporal } from '@coffer/host/workflows/temporal'
import { connectTemporal } from '@coffer/host/workflows/temporal'
import type { Broker } from '@coffer/kit/events/broker'
import type { Log } from '@coffer/kit/service/log'
import type { Config } from '../settings/environment.ts'
import { natsServersOf, temporalServerOf } from '../settings/servers.ts'
import { type PartName, serviceNames } from '../settings/service-names.ts'

type Options = { hasServices: boolean; log: Log }

/**
 * Connects to NATS as the user of a service or the gateway, by default as the operator. Retries in
 * the background while NATS does not answer. Only processes with services publish changes, and so
 * need the stream.
 * Throws SettingsError when no setting names NATS, or its settings cannot be used.
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

/**
 * Creates a lazy connection to Temporal: a process without services needs no Temporal. Throws
 * SettingsError when services run here and no setting names Temporal, or its settings cannot be
 * used.
 */
export function createWorkflows(config: Config, { hasServices, log }: Options): Temporal {
  const { temporalNamespace: namespace, prefix } = config
  return connectTemporal({ ...temporalServerOf(config, { hasServices }), namespace, prefix, log })
}
