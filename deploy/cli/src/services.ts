import { aggregatorSync } from '@coffer/aggregator-sync/service'
import { budgeting } from '@coffer/budgeting/service'
import { feedSync } from '@coffer/feed-sync/service'
import { identity } from '@coffer/identity/service'
import type { ServiceDefinition } from '@coffer/kit/service/service'
import { ledger } from '@coffer/ledger/service'

/** Every service in topological order: each calls only services before it. */
export const definitions: ServiceDefinition[] = [
  identity,
  ledger,
  budgeting,
  aggregatorSync,
  feedSync,
]
