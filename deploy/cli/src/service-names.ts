/**
 * Services and the gateway, by their names in `coffer serve`, with the services that each calls.
 */
export const calls = {
  identity: [],
  ledger: ['identity'],
  budgeting: ['ledger', 'identity'],
  'aggregator-sync': ['ledger', 'identity'],
  'feed-sync': ['ledger', 'identity'],
  gateway: ['identity', 'ledger', 'budgeting', 'aggregator-sync', 'feed-sync'],
} as const satisfies Record<string, readonly string[]>

export type PartName = keyof typeof calls
export type ServiceName = Exclude<PartName, 'gateway'>

/** The five services, without the gateway, which calls them all. */
export const serviceNames: readonly ServiceName[] = calls.gateway
