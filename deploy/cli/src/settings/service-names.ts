/**
 * The services and the gateway, each with the services that it calls by RPC. Activities and events
 * go through Temporal and NATS, and need no address of a service.
 */
export const calls = {
  identity: [],
  ledger: ['identity'],
  budgeting: ['ledger', 'identity'],
  'aggregator-sync': ['ledger', 'identity'],
  'feed-sync': ['ledger', 'identity'],
  notices: ['identity'],
  gateway: ['identity', 'ledger', 'budgeting', 'aggregator-sync', 'feed-sync', 'notices'],
} as const satisfies Record<string, readonly string[]>

export type PartName = keyof typeof calls
export type ServiceName = Exclude<PartName, 'gateway'>

/** The names of the six services. The gateway calls all of them. */
export const serviceNames: readonly ServiceName[] = calls.gateway
