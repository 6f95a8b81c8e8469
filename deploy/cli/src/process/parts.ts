import { flushCompileCache } from 'node:module'
import { SettingsError } from '@coffer/kit/service/config'
import type { ServiceDefinition } from '@coffer/kit/service/service'
import type { Config } from '../settings/environment.ts'
import { calls, type PartName, type ServiceName, serviceNames } from '../settings/service-names.ts'

/** Dynamic imports: a process loads only the code of the services that it runs. */
const load: Record<ServiceName, () => Promise<ServiceDefinition>> = {
  identity: async () => (await import('@coffer/identity/service')).identity,
  ledger: async () => (await import('@coffer/ledger/service')).ledger,
  budgeting: async () => (await import('@coffer/budgeting/service')).budgeting,
  'aggregator-sync': async () => (await import('@coffer/aggregator-sync/service')).aggregatorSync,
  'feed-sync': async () => (await import('@coffer/feed-sync/service')).feedSync,
  notices: async () => (await import('@coffer/notices/service')).notices,
}

// Explanations in the error about a service that no setting names. until 0.5: a deployment without
// the Helm chart, when updated, may lack the service new in 0.4.0.
const additions: { [name in ServiceName]?: string } = {
  notices: ', which is new in 0.4.0: see "A sixth service" in docs/running/upgrading.md',
}

/**
 * Loads the services of these names, in order, one after another. Memory: Node keeps the compile
 * cache that it has read until a flush. A flush before each service lets the service reuse the
 * memory of the one before it. A single flush at the end would leave most of 25 MiB as fragments,
 * which the C library cannot return to the system.
 */
export async function loadServices(names: readonly ServiceName[]): Promise<ServiceDefinition[]> {
  const definitions: ServiceDefinition[] = []
  for (const name of names) {
    flushCompileCache()
    definitions.push(await load[name]())
  }
  return definitions
}

/** Loads the code of all parts ahead of their start. */
export async function loadCode(): Promise<void> {
  flushCompileCache()
  await import('@coffer/gateway/main')
  await loadServices(serviceNames)
}

/** The services that one process runs, and whether it runs the gateway. */
export type Parts = { definitions: ServiceDefinition[]; hasGateway: boolean }

/** Returns the names of the services. */
export function servicesOf({ definitions }: Pick<Parts, 'definitions'>): ServiceName[] {
  return definitions.map(({ name }) => name as ServiceName)
}

/** Returns the names of the parts of a process: its services, and the gateway if it runs here. */
export function partNames(parts: Parts): PartName[] {
  return parts.hasGateway ? ['gateway', ...servicesOf(parts)] : servicesOf(parts)
}

/**
 * Loads parts by name; all parts when no name is given. Throws SettingsError when a part calls a
 * service that is not loaded and whose address no setting names.
 */
export async function loadParts(names: PartName[], config: Pick<Config, 'urls'>): Promise<Parts> {
  const all = Object.keys(calls) as PartName[]
  const chosen = names.length === 0 ? all : names
  for (const name of chosen) {
    for (const called of calls[name]) {
      if (!chosen.includes(called) && config.urls[called] === undefined) {
        const variable = called.replaceAll('-', '_').toUpperCase()
        const since = additions[called] ?? ''
        throw new SettingsError(
          `COFFER_${variable}_URL: not set, and ${name} calls ${called}${since}`,
        )
      }
    }
  }
  return {
    definitions: await loadServices(serviceNames.filter((name) => chosen.includes(name))),
    hasGateway: chosen.includes('gateway'),
  }
}
