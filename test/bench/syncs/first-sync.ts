import { setTimeout as sleep } from 'node:timers/promises'
import { withClient } from '@coffer/host/testing/database'
import { newPerson, type Person } from '../../harness/person.ts'
import { cpuMs, residentMib, watchMemory } from '../reader.ts'
import type { Measured } from '../server.ts'
import { createPurchases, type SyncedLink, type SyncedProvider } from './synced-provider.ts'
import { countWritten, nextTransactionId, untilSearched } from './written-rows.ts'

const pollMs = 50
const timeoutMs = 300_000
// Time in ms after a sync, in which its events are handled and memory is collected.
const settleMs = 15_000

/** Figures of two requested syncs of one link: the first, and one that finds nothing new. */
export interface FirstSync {
  transactions: number
  added: number
  seconds: number
  /** Processor time of Coffer and of Postgres. */
  cpuSeconds: number
  postgresCpuSeconds: number
  idleMib: number
  mostMib: number
  secondsAgain: number
  cpuSecondsAgain: number
  /** Rows of the ledger that the second sync wrote, by table. */
  writtenAgain: Record<string, number>
}

/** Measures the first sync of a bank account with this number of transactions. */
export async function measureFirstSync(
  { baseUrl, coffer, stack: { databaseUrl, pids } }: Measured,
  provider: SyncedProvider,
  transactions: number,
): Promise<FirstSync> {
  const person = await newPerson(baseUrl, { timezone: 'UTC' })
  const purchases = createPurchases(transactions)
  const link = await provider.link({ baseUrl, person, purchases })
  await sleep(settleMs)
  const idleMib = residentMib(coffer.pid)
  using memory = watchMemory(coffer.pid)
  const [before, postgresBefore] = [cpuMs(coffer.pid), cpuMs(pids.postgres)]
  const first = await sync(person, link)
  const cpuSeconds = (cpuMs(coffer.pid) - before) / 1000
  const postgresCpuSeconds = (cpuMs(pids.postgres) - postgresBefore) / 1000
  const mostMib = memory.most()
  await sleep(settleMs)
  await untilSearched(databaseUrl)
  await withClient(databaseUrl, (client) =>
    client.query(`UPDATE ${provider.table} SET last_manual_sync = NULL`),
  )
  const since = await nextTransactionId(databaseUrl)
  const beforeAgain = cpuMs(coffer.pid)
  const again = await sync(person, link)
  return {
    transactions,
    added: first.added,
    seconds: first.seconds,
    cpuSeconds,
    postgresCpuSeconds,
    idleMib,
    mostMib,
    secondsAgain: again.seconds,
    cpuSecondsAgain: (cpuMs(coffer.pid) - beforeAgain) / 1000,
    writtenAgain: await countWritten(databaseUrl, since),
  }
}

/** Requests a sync and waits until it ends; throws if it fails. */
async function sync(
  person: Person,
  { linkId, requestSync }: SyncedLink,
): Promise<{ seconds: number; added: number }> {
  const startedAt = performance.now()
  const { lastSuccess: before } = await person.get(`/links/${linkId}/health`)
  await requestSync()
  while (performance.now() - startedAt < timeoutMs) {
    await sleep(pollMs)
    const health = await person.get(`/links/${linkId}/health`)
    if (health.lastError) throw new Error(health.lastError.text)
    if (health.lastSuccess !== before) {
      const seconds = (performance.now() - startedAt) / 1000
      return { seconds, added: health.lastArrival.added }
    }
  }
  throw new Error(`the sync did not end within ${timeoutMs / 1000} s`)
}
