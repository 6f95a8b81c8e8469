import { setTimeout as sleep } from 'node:timers/promises'
import { newId } from '@coffer/kit/values/id'
import { type OwnPostgres, startOwnPostgres } from '../harness/own-postgres.ts'
import { call, type Person } from '../harness/person.ts'
import { deploy } from '../harness/process.ts'
import type { Member, Replicas } from './replicas.ts'

/** Time in ms after the return of Postgres from which every request must succeed. */
const returnMsMax = 100
/** Time in ms after it in which a second gap would show: longer than all checks and caches. */
const gapMsMax = 30_000

/** Starts a Postgres with the tables of Coffer, which a test stops and starts. */
export async function startPostgresWithTables(): Promise<OwnPostgres> {
  const postgres = await startOwnPostgres()
  await using tables = await deploy({ COFFER_DATABASE_URL: postgres.url })
  const migrated = await tables.run('migrate')
  if (migrated.code !== 0) throw new Error(migrated.output)
  return postgres
}

/** Starts Postgres again; returns the time at which it first answered a new connection. */
export async function restart(postgres: OwnPostgres): Promise<number> {
  const starting = postgres.start()
  const isBack = () => postgres.query('SELECT 1').then(Boolean, () => false)
  while (!(await isBack())) await sleep(2)
  const backAt = performance.now()
  await starting
  return backAt
}

/** Returns the status of `/readyz` of a process. */
export async function readinessOf({ url }: Member): Promise<number> {
  return (await fetch(`${url}/readyz`)).status
}

/** Asks all processes ten times a second whether they are ready; keeps every other answer. */
export function watchRotation({ members }: Replicas) {
  const left: string[] = []
  let isOver = false
  const watch = async (member: Member) => {
    while (!isOver) {
      const status = await readinessOf(member)
      if (status !== 200) left.push(`${member.name}: ${status}`)
      await sleep(100)
    }
  }
  const watching = members.map(watch)
  return {
    end: async (): Promise<string[]> => {
      isOver = true
      await Promise.all(watching)
      return left
    },
  }
}

interface Answer {
  gateway: string
  begunAt: number
  ms: number
  status: number
  retryAfter: string | null
}

/** Requests of one person, each to a gateway of its own without a balancer. */
export interface Asked {
  person: Person
  /** Path of the person's bank account. */
  path: string
  /** The envelope of the writes; without it they spend free-to-use money. */
  spendingId?: string
  gateway: Member
  /** Writes (with an Idempotency-Key) instead of reads. */
  writes: boolean
  /** Waits before each request. */
  pause: () => Promise<unknown>
}

/** Sends requests one after the other on each line, until it is ended. Repeats none. */
export function keepAsking(lines: Asked[]) {
  const answers: Answer[] = []
  let isOver = false
  const tea = { name: 'Tea', amount: 1, date: '2026-03-02T06:00:00Z', adjustsBalance: true }
  const run = async ({ person, path, spendingId, gateway, writes, pause }: Asked) => {
    const { authorization } = person
    const body = spendingId ? { ...tea, spendingId } : tea
    while (!isOver) {
      await pause()
      const begunAt = performance.now()
      const { status, headers } = writes
        ? await call(gateway.baseUrl, 'POST', `${path}/transactions`, {
            body,
            headers: { authorization, 'idempotency-key': newId('key') },
          })
        : await call(gateway.baseUrl, 'GET', `${path}/balances`, { headers: { authorization } })
      const ms = Math.round(performance.now() - begunAt)
      const retryAfter = headers.get('retry-after')
      answers.push({ gateway: gateway.name, begunAt, ms, status, retryAfter })
    }
  }
  const running = lines.map(run)
  return {
    answers,
    end: async () => {
      isOver = true
      await Promise.all(running)
    },
  }
}

/** Sums up the answers around a restart of Postgres that ended at `backAt`. */
export function summaryOfBlink(answers: Answer[], backAt: number) {
  const failed = answers.filter(({ status }) => status !== 200)
  const near = failed.filter(({ begunAt }) => begunAt < backAt + gapMsMax)
  const lastAt = Math.max(...near.map(({ begunAt }) => begunAt))
  return {
    requests: answers.length,
    failed: failed.length,
    slowestMs: Math.max(...failed.map(({ ms }) => ms)),
    /** From the return of Postgres to the beginning of the last request that failed, in ms. */
    gapMs: Math.round(lastAt - backAt),
    /** Requests that failed although they began later than 0.1 s after the return. */
    late: near.filter(({ begunAt }) => begunAt > backAt + returnMsMax),
    /** Later failures: those of a machine that is too slow for the load. */
    others: failed.length - near.length,
    // A write whose connection broke may be booked: 504, and clients repeat it with its key.
    unexplained: failed.filter(({ status, retryAfter }) => status !== 504 && !retryAfter),
  }
}
