import { setTimeout as sleep } from 'node:timers/promises'
import { withClient } from '@coffer/host/testing/database'
import { newPerson, type Person } from '../../harness/person.ts'
import { type LinkedFeed, linkFeed } from '../../providers/linked-feed.ts'
import { feedAccount, type LunchFlow } from '../../providers/lunch-flow.ts'
import { cpuMs, residentMib, watchMemory } from '../reader.ts'
import type { Measured } from '../server.ts'

import { countWritten, nextTransactionId } from './written-rows.ts'

const feedId = 'large'
const rowsPerDay = 10
const dayMs = 86_400_000
const pollMs = 50
const timeoutMs = 300_000
// Time in ms after a sync, in which its events are handled and memory is collected.
const settleMs = 15_000

/** Figures of two manual syncs of one bank account: the first, and one that finds nothing new. */
export interface FirstSync {
  transactions: number
  added: number
  seconds: number
  cpuSeconds: number
  idleMib: number
  mostMib: number
  secondsAgain: number
  /** Rows of the ledger that the second sync wrote, by table. */
  writtenAgain: Record<string, number>
}

/** Measures the first sync of a bank account with this number of transactions. */
export async function measureFirstSync(
  { baseUrl, coffer, stack: { databaseUrl } }: Measured,
  provider: LunchFlow,
  transactions: number,
): Promise<FirstSync> {
  provider.accounts.splice(0, Number.POSITIVE_INFINITY, feedAccount(feedId))
  postPurchases(provider, transactions)
  const person = await newPerson(baseUrl, { timezone: 'UTC' })
  const home = await linkFeed(person, provider, feedId)
  await sleep(settleMs)
  const idleMib = residentMib(coffer.pid)
  using memory = watchMemory(coffer.pid)
  const cpuBefore = cpuMs(coffer.pid)
  const first = await sync(person, home)
  const cpuSeconds = (cpuMs(coffer.pid) - cpuBefore) / 1000
  const mostMib = memory.most()
  await sleep(settleMs)
  await withClient(databaseUrl, (client) =>
    client.query('UPDATE feed_sync.feed_links SET last_manual_sync = NULL'),
  )
  const since = await nextTransactionId(databaseUrl)
  const again = await sync(person, home)
  const writtenAgain = await countWritten(databaseUrl, since)
  return {
    transactions,
    added: first.added,
    seconds: first.seconds,
    cpuSeconds,
    idleMib,
    mostMib,
    secondsAgain: again.seconds,
    writtenAgain,
  }
}

/** Adds purchases of 400 shops, ten a day until today. */
function postPurchases(provider: LunchFlow, count: number): void {
  const bank = provider.bank(feedId)
  const now = Date.now()
  for (let n = 0; n < count; n += 1) {
    const date = new Date(now - Math.floor(n / rowsPerDay) * dayMs).toISOString().slice(0, 10)
    const amount = `-${1 + (n % 97)}.${String(n % 100).padStart(2, '0')}`
    bank.post({ date, amount, merchant: `Shop ${n % 400}`, description: `CARD 4711 SHOP ${n}` })
  }
}

/** Requests a sync and waits until it ends; throws if it fails. */
async function sync(
  person: Person,
  { linkId }: LinkedFeed,
): Promise<{ seconds: number; added: number }> {
  const startedAt = performance.now()
  const { lastSuccess: before } = await person.get(`/links/${linkId}/health`)
  await person.post('/feed/link/sync', { linkId })
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
