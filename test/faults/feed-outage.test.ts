import { eventually } from '@coffer/host/testing/boot'
import { started } from '@coffer/host/testing/started'
import { auditLedger } from '@coffer/ledger/money/audit.sql'
import { beforeEach, expect, test } from '@jest/globals'
import { createGoalIn } from '../harness/goal.ts'
import type { Json } from '../harness/person.ts'
import { linkOne, type OneAccount, startFeedWorld } from '../mesh/feed-world.ts'
import { faults } from '../providers/feed-faults.ts'

const minuteMs = 60_000
const hourMs = 60 * minuteMs
const begin = Date.now()

const world = started(() => startFeedWorld())

beforeEach(() => {
  world.provider.accounts.splice(0)
  goTo(begin)
})

function goTo(ms: number): void {
  world.coffer.booted.clock.now = new Date(ms)
}

const today = new Date(begin).toISOString().slice(0, 10)
const msOf = (time: string | null) => (time === null ? 0 : Date.parse(time))

/** Health of a link, as users see it. */
const healthOf = ({ person, linkId }: OneAccount): Promise<Json> =>
  person.get(`/links/${linkId}/health`)

/** Runs the schedule at a time, and the sync that it starts; returns whether it started one. */
async function sweepAt(ms: number, { linkId }: OneAccount): Promise<boolean> {
  goTo(ms)
  const { workflows, prefix } = world.coffer.booted
  const handleOf = (id: string) => workflows.client.workflow.getHandle(`${prefix}/workflows/${id}`)
  const sync = handleOf(`feed-sync/${linkId}`)
  const before = await sync.describe()
  await workflows.start({ type: 'startDueFeedSyncs', id: 'feed-sync-due', args: [] })
  await handleOf('feed-sync-due').result()
  const { runId } = await sync.describe()
  if (runId === before.runId) return false
  await sync.result()
  return true
}

/** Waits for the next scheduled sync, and returns its time. No sync starts a minute earlier. */
async function nextSync(home: OneAccount): Promise<number> {
  const dueAt = msOf((await healthOf(home)).nextAttempt)
  expect(await sweepAt(dueAt - minuteMs, home)).toBe(false)
  expect(await sweepAt(dueAt, home)).toBe(true)
  return dueAt
}

/** A bank account with a posted and a pending transaction, both edited by the user. */
async function linkEdited(): Promise<
  OneAccount & { pending: string; posted: string; spendingId: string }
> {
  const home = await linkOne(world)
  const posted = home.bank.post({ date: today, amount: '-20', merchant: 'Market' })
  const pending = home.bank.pend({ date: today, amount: '-4.50', merchant: 'Cafe Roma' })
  await home.request()
  await eventually(home.list, ({ length }) => length === 2)
  await eventually(
    () => healthOf(home),
    ({ isSyncing }) => !isSyncing,
  )
  const spendingId = await createGoalIn(home.person, home.path, 5_000)
  for (const { transactionId, originalName } of await home.list()) {
    const name = `My ${originalName}`
    await home.person.patch(`${home.path}/transactions/${transactionId}`, { name, spendingId })
  }
  return { ...home, pending, posted, spendingId }
}

/** Lists what a user sees of the transactions. */
async function shown({ list }: OneAccount): Promise<Json[]> {
  const all = await list()
  return all
    .map(({ name, amount, isPending, spendingId }) => ({ name, amount, isPending, spendingId }))
    .sort((a, b) => a.amount - b.amount)
}

const noAnswer = {
  code: 'no-answer',
  text: 'the feed provider did not answer',
  advice: expect.stringMatching(/Syncs are repeated|request a sync with POST/),
  at: expect.any(String),
}

test('an outage of more than a day costs nothing but time, and a request', async () => {
  const home = await linkEdited()
  const { bank, person, path, spendingId } = home
  world.provider.fault(/accounts/, faults.cut(0))
  const arrivals = [
    () => bank.post({ date: today, amount: '-1', merchant: 'First' }),
    () => bank.settle(home.pending, { id: 'posted', description: 'CAFE ROMA 0815' }),
    () => bank.change(home.posted, { amount: '-21' }),
    () => bank.remove(bank.post({ date: today, amount: '-99', merchant: 'Gone' })),
    () => bank.pend({ id: null, date: today, amount: '-2', merchant: 'Second' }),
  ]
  const times: number[] = []
  for (const [failures, arrive] of arrivals.entries()) {
    times.push(await nextSync(home))
    const health = await healthOf(home)
    expect(health).toMatchObject({ failuresInRow: failures + 1, lastError: noAnswer })
    expect(health.status).toBe(failures < 4 ? 'active' : 'error')
    arrive()
  }
  const pauses = times.slice(1).map((time, index) => (time - (times[index] ?? 0)) / minuteMs)
  expect(pauses).toEqual([10, 60, 360, 1_080])
  const { feedLink } = await person.get(`/links/${home.linkId}`)
  expect(feedLink).toMatchObject({ status: 'error', error: noAnswer.text })
  expect(await healthOf(home)).toMatchObject({ nextAttempt: null })
  expect(await shown(home)).toMatchObject([{ amount: 450 }, { amount: 2_000 }])

  world.provider.fault(/accounts/, null)
  const dayLater = (times.at(-1) ?? 0) + 24 * hourMs
  expect(await sweepAt(dayLater, home)).toBe(false)
  await person.call('POST', '/feed/link/sync', { body: { linkId: home.linkId } })
  const healed = await eventually(
    () => healthOf(home),
    ({ status, isSyncing }) => status === 'active' && !isSyncing,
  )
  const lastArrival = { added: 2, changed: 1, matched: 1, removed: 0, skipped: 0 }
  expect(healed).toMatchObject({ failuresInRow: 0, lastError: null, lastArrival })
  const right = [
    { name: 'First', amount: 100, isPending: false, spendingId: null },
    { name: 'Second', amount: 200, isPending: true, spendingId: null },
    { name: 'My CARD CAFE ROMA', amount: 450, isPending: false, spendingId },
    { name: 'My CARD MARKET', amount: 2_100, isPending: false, spendingId },
  ]
  expect(await shown(home)).toEqual(right)
  const { currentAmount } = await person.get(`${path}/spending/${spendingId}`)
  expect(currentAmount).toBe(5_000 - 450 - 2_100)

  await nextSync(home)
  const unchanged = { added: 0, changed: 0, matched: 0, removed: 0, skipped: 0 }
  expect(await healthOf(home)).toMatchObject({ lastArrival: unchanged })
  expect(await shown(home)).toEqual(right)
  expect(await auditLedger(world.coffer.booted.database('ledger'))).toEqual([])
})

test('an outage of a day is over without a request', async () => {
  const home = await linkEdited()
  world.provider.fault(/accounts/, faults.status(502, 'Bad Gateway'))
  const firstAt = await nextSync(home)
  const backAt = firstAt + 24 * hourMs
  home.bank.post({ date: today, amount: '-1', merchant: 'First' })
  const text = 'the feed provider answered with status 502: Bad Gateway'
  for (let failures = 1; failures <= 4; failures += 1) {
    const health = await healthOf(home)
    expect(health).toMatchObject({ status: 'active', failuresInRow: failures, lastError: { text } })
    if (msOf(health.nextAttempt) >= backAt) break
    await nextSync(home)
  }
  expect(await healthOf(home)).toMatchObject({ failuresInRow: 4 })
  world.provider.fault(/accounts/, null)
  const healedAt = await nextSync(home)
  expect(healedAt - firstAt).toBe(25 * hourMs + 10 * minuteMs)
  const healed = await healthOf(home)
  expect(healed).toMatchObject({ status: 'active', failuresInRow: 0, lastError: null })
  expect([healed.lastArrival.added, msOf(healed.lastSuccess)]).toEqual([1, healedAt])
  expect(await shown(home)).toMatchObject([
    { name: 'First' },
    { name: 'My CARD CAFE ROMA', spendingId: home.spendingId },
    { name: 'My CARD MARKET', spendingId: home.spendingId },
  ])
})
