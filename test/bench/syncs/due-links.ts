import { setTimeout as sleep } from 'node:timers/promises'
import { withClient } from '@coffer/host/testing/database'
import { silentLog } from '@coffer/host/testing/silent-log'
import { connectTemporal } from '@coffer/host/workflows/temporal'
import { newPerson, type Person } from '../../harness/person.ts'
import { cpuMs, readerOfBalances, residentMib, startReader, watchMemory } from '../reader.ts'
import type { Measured } from '../server.ts'
import { createPurchases, type SyncedProvider } from './synced-provider.ts'
import { countWritten, nextTransactionId, untilSearched } from './written-rows.ts'

// Fewer than the callbacks of an account in a minute (docs/limits.md).
const linksOfPerson = 10
const rows = 20
const pollMs = 500
const timeoutMs = 900_000
// Time in ms before a measurement, in which events are handled and SQL plans are created.
const settleMs = 15_000
// Time in ms in which the client reads balances while no sync runs.
const calmMs = 20_000

/** Figures of syncs of links that are due at once, while a client reads. */
export interface DueLinks {
  links: number
  succeeded: number
  seconds: number
  cofferCpuMsEach: number
  postgresCpuMsEach: number
  temporalCpuMsEach: number
  beforeMib: number
  mostMib: number
  p99BeforeMs: number
  p99DuringMs: number
  reads: number
  /** Rows of the ledger that the syncs wrote, by table. */
  written: Record<string, number>
}

/** Creates links with one bank account of 20 transactions each, 100 a person. */
export async function createLinks(
  { baseUrl }: Measured,
  provider: SyncedProvider,
  count: number,
): Promise<void> {
  const purchases = createPurchases(rows)
  const linkTimes = async (person: Person, times: number) => {
    for (let n = 0; n < times; n += 1) await provider.link({ baseUrl, person, purchases })
  }
  const people: Promise<void>[] = []
  for (let left = count; left > 0; left -= linksOfPerson) {
    const person = await newPerson(baseUrl, { timezone: 'UTC' })
    people.push(linkTimes(person, Math.min(left, linksOfPerson)))
  }
  await Promise.all(people)
}

/** Makes all links due, runs the schedule's workflow, and waits until each is synced. */
export async function measureDueLinks(
  { baseUrl, coffer, stack }: Measured,
  { table, dueWorkflow }: SyncedProvider,
): Promise<DueLinks> {
  const { databaseUrl, pids } = stack
  const read = await readerOfBalances(baseUrl)
  await sleep(settleMs)
  await untilSearched(databaseUrl)
  const calm = startReader(read)
  await sleep(calmMs)
  await calm.stop()
  const since = await nextTransactionId(databaseUrl)
  const links = await makeDue(databaseUrl, table)
  const beforeMib = residentMib(coffer.pid)
  using memory = watchMemory(coffer.pid)
  const cpuOf = () => [coffer.pid, pids.postgres, pids.temporal].map(cpuMs)
  const cpuBefore = cpuOf()
  const startedAt = performance.now()
  const busy = startReader(read)
  await startDueSyncs(stack.temporalAddress, dueWorkflow)
  const succeeded = await untilSynced(databaseUrl, table, links)
  const seconds = (performance.now() - startedAt) / 1000
  const spent = cpuOf().map((ms, index) => (ms - (cpuBefore[index] ?? 0)) / links)
  const [cofferCpuMsEach = 0, postgresCpuMsEach = 0, temporalCpuMsEach = 0] = spent
  await busy.stop()
  return {
    links,
    succeeded,
    seconds,
    cofferCpuMsEach,
    postgresCpuMsEach,
    temporalCpuMsEach,
    beforeMib,
    mostMib: memory.most(),
    p99BeforeMs: calm.p99(),
    p99DuringMs: busy.p99(),
    reads: busy.reads(),
    written: await countWritten(databaseUrl, since),
  }
}

/** Makes the scheduled syncs of all links due; returns their number. */
function makeDue(databaseUrl: string, table: SyncedProvider['table']): Promise<number> {
  return withClient(databaseUrl, async (client) => {
    const { rowCount } = await client.query(
      `UPDATE ${table} SET next_sync_at = now(), last_successful_update = NULL`,
    )
    return rowCount ?? 0
  })
}

async function startDueSyncs(address: string, type: SyncedProvider['dueWorkflow']): Promise<void> {
  await using temporal = connectTemporal({
    address,
    namespace: 'default',
    prefix: 'coffer',
    log: silentLog,
  })
  await temporal.start({ type, id: 'due-bench', args: [] })
}

/** Waits until every link is synced, at most 15 minutes; returns the number of synced ones. */
function untilSynced(
  databaseUrl: string,
  table: SyncedProvider['table'],
  links: number,
): Promise<number> {
  return withClient(databaseUrl, async (client) => {
    const startedAt = performance.now()
    let synced = 0
    while (synced < links && performance.now() - startedAt < timeoutMs) {
      await sleep(pollMs)
      const { rows } = await client.query(
        `SELECT count(*)::int AS synced FROM ${table} WHERE last_successful_update IS NOT NULL`,
      )
      synced = rows[0].synced
    }
    return synced
  })
}
