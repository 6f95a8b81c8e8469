import { aggregatorSync } from '@coffer/aggregator-sync/service'
import { budgeting } from '@coffer/budgeting/service'
import { feedSync } from '@coffer/feed-sync/service'
import { identity } from '@coffer/identity/service'
import { SettingsError } from '@coffer/kit/service/config'
import type { ServiceDefinition } from '@coffer/kit/service/service'
import { ledger } from '@coffer/ledger/service'
import type { Config } from './environment.ts'
import { calls, type PartName } from './service-names.ts'

/** Every service in topological order: each calls only services before it. */
export const definitions: ServiceDefinition[] = [
  identity,
  ledger,
  budgeting,
  aggregatorSync,
  feedSync,
]

/** The services that one process runs, and whether it runs the gateway. */
export type Parts = { definitions: ServiceDefinition[]; hasGateway: boolean }

/**
 * Parts by name; all parts when no name is given.
 *
 * @throws {SettingsError} when a part calls a service that is neither chosen nor has an address
 */
export function chosenParts(names: PartName[], config: Pick<Config, 'urls'>): Parts {
  const all = Object.keys(calls) as PartName[]
  const chosen = names.length === 0 ? all : names
  for (const name of chosen) {
    for (const called of calls[name]) {
      if (!chosen.includes(called) && config.urls[called] === undefined) {
        const variable = called.replaceAll('-', '_').toUpperCase()
        throw new SettingsError(`COFFER_${variable}_URL: not set, and ${name} calls ${called}`)
      }
    }
  }
  return {
    definitions: definitions.filter(({ name }) => chosen.includes(name as PartName)),
    hasGateway: chosen.includes('gateway'),
  }
}
