import { setTimeout as sleep } from 'node:timers/promises'
import { eventually } from '@coffer/host/testing/boot'
import type { TcpProxy } from '@coffer/kit/testing/proxy'
import pg from 'pg'
import type { RpcGate } from '../harness/rpc-gate.ts'
import { faults } from '../providers/feed-faults.ts'
import type { LunchFlow } from '../providers/lunch-flow.ts'
import type { LinkedAccount } from './linked-account.ts'

/** Servers around feed-sync, which hold its syncs. */
export interface Surroundings {
  provider: LunchFlow
  /** Between feed-sync and the ledger. */
  gate: RpcGate
  /** Between all processes and their database. */
  database: TcpProxy
  databaseUrl: string
}

/** A point of a sync at which a process is killed. */
export interface SyncPoint {
  name: string
  /** Whether the process imports transactions meanwhile; it does so twice at once. */
  isImport: boolean
  /** Number of transactions that the point needs at the provider. */
  rows: number
  /** Requests a sync and resolves when it is held at the point. The result ends the hold. */
  reach: (around: Surroundings, link: LinkedAccount) => Promise<() => Promise<void>>
}

// An import has at most 500 transactions, so that these need two.
const twoImports = 510
const fewRows = 3

/** Points in the provider's answers and in the calls of the ledger: for kills of both processes. */
export const sharedPoints: SyncPoint[] = [
  asked('the list of accounts', () => /^\/accounts$/),
  asked('the transactions', ({ feedId }) => new RegExp(`^/accounts/${feedId}/transactions`)),
  asked('the balance', ({ feedId }) => new RegExp(`^/accounts/${feedId}/balance`)),
  ...(['request', 'answer'] as const).flatMap((side) => [
    called('ListSyncedBankAccounts', side),
    called('UpsertBankAccounts', side),
    called('ImportTransactions', side),
    called('ImportTransactions', side, 1),
    called('ListProviderTransactions', side),
    called('RemoveTransactions', side),
    called('SetBalances', side),
  ]),
  {
    ...point('while the ledger writes transactions'),
    isImport: true,
    reach: async ({ databaseUrl }, link) => {
      const row = await lockRow(databaseUrl, 'ledger.bank_accounts', link)
      await link.request()
      await row.untilAwaited()
      return row.unlock
    },
  },
]

/** Points in feed-sync's own state: for kills of feed-sync. */
export const ownPoints: SyncPoint[] = [
  {
    ...point('after the request is stored'),
    reach: async (_, link) => {
      await link.request()
      return async () => undefined
    },
  },
  saving('feed_bank_accounts'),
  saving('feed_links'),
  {
    ...point('after the begin is committed'),
    reach: async ({ database }, link) => {
      // The first transaction of the link stores the request.
      const held = database.holdCommit(link.feedLinkId, 1)
      await link.request()
      const line = await within(held)
      return async () => void (await line.deliver())
    },
  },
  committed('feedBankAccountId'),
  committed('feedLinkId'),
]

/** The provider has the request and has not answered. */
function asked(what: string, pathOf: (link: LinkedAccount) => RegExp): SyncPoint {
  return {
    ...point(`while the provider is asked for ${what}`),
    reach: async ({ provider }, link) => {
      const path = pathOf(link)
      const from = provider.requests.length
      const { promise, resolve } = Promise.withResolvers<void>()
      provider.fault(path, faults.hold(promise), 1)
      await link.request()
      const isAsked = async () => provider.requests.slice(from).some((one) => path.test(one))
      await eventually(isAsked, Boolean)
      return async () => resolve()
    },
  }
}

/** A call is held on its way to the ledger, or its answer after the ledger has committed it. */
function called(method: string, side: 'request' | 'answer', skipped = 0): SyncPoint {
  const when = side === 'request' ? 'before' : 'after'
  return {
    ...point(`${when} ${method} number ${skipped + 1}`),
    isImport: method === 'ImportTransactions',
    rows: skipped > 0 ? twoImports : fewRows,
    reach: async ({ gate }, link) => {
      const isOfLink = ['ListSyncedBankAccounts', 'UpsertBankAccounts'].includes(method)
      const text = isOfLink ? link.linkId : link.bankAccountId
      const held = gate.hold({ method, text, side, skipped })
      await link.request()
      await held.reached()
      return async () => held.lose()
    },
  }
}

/** Feed-sync saves the balance of the bank account, or the end of the sync of the link. */
function saving(table: 'feed_bank_accounts' | 'feed_links'): SyncPoint {
  return {
    ...point(`while ${table} is saved`),
    reach: async ({ gate, databaseUrl }, link) => {
      const text = link.bankAccountId
      const held = gate.hold({ method: 'SetBalances', text, side: 'answer' })
      await link.request()
      await held.reached()
      const row = await lockRow(databaseUrl, `feed_sync.${table}`, link)
      held.release()
      await row.untilAwaited()
      return row.unlock
    },
  }
}

/** Postgres commits the end of the sync of the bank account, or of the link, after the kill. */
function committed(id: 'feedBankAccountId' | 'feedLinkId'): SyncPoint {
  return {
    ...point(`after the end is committed for the ${id}`),
    reach: async ({ gate, database }, link) => {
      const text = link.bankAccountId
      const held = gate.hold({ method: 'SetBalances', text, side: 'answer' })
      await link.request()
      await held.reached()
      const commit = database.holdCommit(link[id], 0)
      held.release()
      const line = await within(commit)
      return async () => void (await line.deliver())
    },
  }
}

const reachMs = 60_000

/** Returns the value of a promise; throws if it does not resolve in time. */
async function within<T>(promise: Promise<T>): Promise<T> {
  const timer = new AbortController()
  const late = sleep(reachMs, undefined, { signal: timer.signal }).then(() => {
    throw new Error('the transaction was not committed')
  })
  return Promise.race([promise, late]).finally(() => timer.abort())
}

function point(name: string): Pick<SyncPoint, 'name' | 'isImport' | 'rows'> {
  return { name, isImport: false, rows: fewRows }
}

/** Locks the link's row of a table. A killed process's statement goes on when it is unlocked. */
async function lockRow(connectionString: string, table: string, link: LinkedAccount) {
  const { linkId, bankAccountId, person } = link
  const [column, id] = table.endsWith('links')
    ? ['link_id', linkId]
    : ['bank_account_id', bankAccountId]
  const client = new pg.Client({ connectionString })
  // After a failed test, the database is dropped before the client ends.
  client.on('error', () => undefined)
  await client.connect()
  await client.query('BEGIN')
  const ofLink = `WHERE account_id = $1 AND ${column} = $2`
  const locked = await client.query(`SELECT FROM ${table} ${ofLink} FOR UPDATE`, [
    person.accountId,
    id,
  ])
  if (locked.rowCount !== 1) throw new Error(`${table} has no row of the link`)
  const isAwaited = async () => {
    const { rows } = await client.query(
      'SELECT FROM pg_stat_activity WHERE pg_backend_pid() = ANY(pg_blocking_pids(pid))',
    )
    return rows.length > 0
  }
  return {
    untilAwaited: () => eventually(isAwaited, Boolean),
    unlock: () => client.end(),
  }
}
