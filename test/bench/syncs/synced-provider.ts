import type { Person } from '../../harness/person.ts'

/** A posted transaction at the bank: money out. */
export interface Purchase {
  /** Day as YYYY-MM-DD. */
  date: string
  /** Decimal number without a sign. */
  amount: string
  merchant: string
  description: string
}

/** A link to measure. */
export interface SyncedLink {
  linkId: string
  /** Requests a sync that begins at once; returns after the request. */
  requestSync: () => Promise<unknown>
}

/** The parts of the measurement that differ by provider. */
export interface SyncedProvider {
  /** Settings of the measured Coffer. */
  settings: Record<string, string>
  /** Table of the links, with the state of their syncs. */
  table: 'feed_sync.feed_links' | 'aggregator_sync.aggregator_links'
  /** Workflow of the schedule that starts due syncs. */
  dueWorkflow: 'startDueFeedSyncs' | 'startDueAggregatorSyncs'
  /** Links a bank account with these purchases to a person's account, without a sync. */
  link: (of: {
    baseUrl: string
    person: Person
    purchases: readonly Purchase[]
  }) => Promise<SyncedLink>
}

const rowsPerDay = 10
const dayMs = 86_400_000

/** Returns purchases of 400 shops, ten a day until today, the newest first. */
export function createPurchases(count: number): Purchase[] {
  const now = Date.now()
  return Array.from({ length: count }, (_, n) => ({
    date: new Date(now - Math.floor(n / rowsPerDay) * dayMs).toISOString().slice(0, 10),
    amount: `${1 + (n % 97)}.${String(n % 100).padStart(2, '0')}`,
    merchant: `Shop ${n % 400}`,
    description: `CARD 4711 SHOP ${n}`,
  }))
}
