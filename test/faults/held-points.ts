import { setTimeout as sleep } from 'node:timers/promises'
import { eventually } from '@coffer/host/testing/boot'
import type { TcpProxy } from '@coffer/kit/testing/proxy'
import pg from 'pg'
import type { RpcGate } from '../harness/rpc-gate.ts'

/** Servers around a process that syncs links, which hold its work. */
export interface Surroundings {
  /** Between the process and the ledger. */
  gate: RpcGate
  /** Between all processes and their database. */
  database: TcpProxy
  databaseUrl: string
}

/** Work on a link that a test holds at a point. */
export interface Work {
  /** Begins the work; does not wait for its end. */
  begin: () => Promise<unknown>
  /** Holds the provider's answer to a path, after `skipped` earlier ones. */
  holdAnswer: (path: RegExp, of?: { skipped?: number; isLost?: boolean }) => Hold
}

/** A hold that work meets after it has begun. */
export interface Hold {
  /** Resolves when the work is held; throws if it does not come. */
  reached: () => Promise<unknown>
  /** Ends the hold, after the process was killed. */
  end: () => Promise<unknown>
}

/** Prepares a hold for some work. */
export type Arm<One extends Work> = (around: Surroundings, work: One) => Promise<Hold>

/** A point of some work at which a process is killed. */
export interface HeldPoint<One extends Work> {
  name: string
  /** Whether the process imports transactions meanwhile; it does so twice at once. */
  isImport: boolean
  arm: Arm<One>
}

/** A call of the ledger; `textOf` returns a text that its request contains, such as an ID. */
export interface LedgerCall<One extends Work> {
  method: string
  textOf: (work: One) => string
  /** Number of such calls that pass before; by default 0. */
  skipped?: number
}

/** Begins work, and resolves when it is held at a point. The result ends the hold. */
export async function reach<One extends Work>(
  around: Surroundings,
  { arm }: HeldPoint<One>,
  work: One,
): Promise<() => Promise<unknown>> {
  const hold = await arm(around, work)
  await work.begin()
  await hold.reached()
  return hold.end
}

/** No hold: the work has begun. */
export async function atBegin(): Promise<Hold> {
  const nothing = async () => undefined
  return { reached: nothing, end: nothing }
}

/** A call is held on its way to the ledger, or its answer after the ledger has committed it. */
export function atCall<One extends Work>(
  { textOf, ...call }: LedgerCall<One>,
  side: 'request' | 'answer',
): Arm<One> {
  return async ({ gate }, work) => {
    const held = gate.hold({ ...call, text: textOf(work), side })
    return { reached: held.reached, end: async () => held.lose() }
  }
}

/** Prepares another hold while a call of the ledger is answered: for the statements after it. */
export function afterCall<One extends Work>(
  { textOf, ...call }: LedgerCall<One>,
  arm: Arm<One>,
): Arm<One> {
  return async (around, work) => {
    const held = around.gate.hold({ ...call, text: textOf(work), side: 'answer' })
    const next = Promise.withResolvers<Hold>()
    return {
      reached: async () => {
        await held.reached()
        next.resolve(await arm(around, work))
        held.release()
        await (await next.promise).reached()
      },
      end: async () => (await next.promise).end(),
    }
  }
}

/** Postgres commits a transaction with this text after the kill; `skipped` earlier ones pass. */
export function atCommit<One extends Work>(textOf: (work: One) => string, skipped = 0): Arm<One> {
  return async ({ database }, work) => {
    const held = within(database.holdCommit(textOf(work), skipped))
    held.catch(() => undefined)
    return { reached: () => held, end: async () => (await held).deliver() }
  }
}

/** A row and the columns of its key. */
export interface RowKey {
  table: string
  key: Record<string, string>
}

/** A statement waits for a row. It goes on after the kill. */
export function atRow<One extends Work>(keyOf: (work: One) => RowKey): Arm<One> {
  return async ({ databaseUrl }, work) => {
    const row = await lockRow(databaseUrl, keyOf(work))
    return { reached: row.untilAwaited, end: row.unlock }
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

async function lockRow(connectionString: string, { table, key }: RowKey) {
  const client = new pg.Client({ connectionString })
  // After a failed test, the database is dropped before the client ends.
  client.on('error', () => undefined)
  await client.connect()
  await client.query('BEGIN')
  const isRow = Object.keys(key).map((column, index) => `${column} = $${index + 1}`)
  const select = `SELECT FROM ${table} WHERE ${isRow.join(' AND ')} FOR UPDATE`
  const locked = await client.query(select, Object.values(key))
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
