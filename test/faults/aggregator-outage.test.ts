import { started } from '@coffer/host/testing/started'
import { auditLedger } from '@coffer/ledger/money/audit.sql'
import { beforeAll, expect, test } from '@jest/globals'
import { createGoalIn } from '../harness/goal.ts'
import type { Json } from '../harness/person.ts'
import { linkItem, type PlaidHome, startPlaidWorld } from '../mesh/plaid-world.ts'
import { plaidFaults } from '../providers/plaid/faults.ts'

const minuteMs = 60_000
const hourMs = 60 * minuteMs
const begin = Date.now()
const today = new Date(begin).toISOString().slice(0, 10)

const world = started(() => startPlaidWorld())

beforeAll(async () => {
  goTo(begin)
})

function goTo(ms: number): void {
  world.coffer.booted.clock.now = new Date(ms)
}

/** Runs the schedule at a time, and the sync that it starts; returns whether it started one. */
async function sweepAt(ms: number, { linkId }: PlaidHome): Promise<boolean> {
  goTo(ms)
  const { workflows, prefix } = world.coffer.booted
  const handleOf = (id: string) => workflows.client.workflow.getHandle(`${prefix}/workflows/${id}`)
  const sync = handleOf(`aggregator-sync/${linkId}`)
  const before = await sync.describe()
  const id = 'aggregator-sync-due'
  await workflows.start({ type: 'startDueAggregatorSyncs', id, args: [] })
  await handleOf(id).result()
  const { runId } = await sync.describe()
  if (runId === before.runId) return false
  await sync.result()
  return true
}

/** Waits for the next scheduled sync, and returns its time. No sync starts a minute earlier. */
async function nextSync(home: PlaidHome): Promise<number> {
  const dueAt = (await home.state()).nextSyncAt?.getTime() ?? 0
  expect(await sweepAt(dueAt - minuteMs, home)).toBe(false)
  expect(await sweepAt(dueAt, home)).toBe(true)
  return dueAt
}

/** Lists what a user sees of the transactions. */
async function shown({ list }: PlaidHome): Promise<Json[]> {
  const all = await list()
  return all
    .map(({ name, amount, isPending, spendingId }) => ({ name, amount, isPending, spendingId }))
    .sort((a, b) => a.amount - b.amount)
}

const outages = [
  plaidFaults.cut(0),
  plaidFaults.code('INTERNAL_SERVER_ERROR'),
  plaidFaults.code('INSTITUTION_DOWN'),
  plaidFaults.status(502, 'Bad Gateway'),
  plaidFaults.invalidJson,
  plaidFaults.code('PLANNED_MAINTENANCE'),
]
const codes = ['no-answer', 'upstream', 'institution-down', 'upstream', 'unreadable', 'upstream']

test('an outage of days costs nothing but time, and ends without a request', async () => {
  const home = await linkItem(world)
  const { bank, item, person } = home
  const [path = ''] = home.paths
  const posted = bank.post({ date: today, amount: '20', name: 'Market' })
  const pending = bank.pend({ date: today, amount: '4.50', name: 'Cafe Roma' })
  await home.sync()
  const spendingId = await createGoalIn(person, path, 5_000)
  for (const { transactionId, originalName } of await home.list()) {
    const name = `My ${originalName}`
    await person.patch(`${path}/transactions/${transactionId}`, { name, spendingId })
  }
  const edited = await shown(home)

  const arrivals = [
    () => bank.post({ date: today, amount: '1', name: 'First' }),
    () => bank.settle(pending, { description: 'CAFE ROMA 0815' }),
    () => bank.change(posted, { amount: '21' }),
    () => bank.remove(bank.post({ date: today, amount: '99', name: 'Gone' })),
    () => bank.pend({ date: today, amount: '2', name: 'Second' }),
    () => undefined,
  ]
  const times: number[] = []
  for (const [failures, outage] of outages.entries()) {
    // Each kind of call in turn.
    const called = failures % 2 === 0 ? /accounts/ : /sync$/
    item.fault(called, outage)
    times.push(await nextSync(home))
    item.fault(called, null)
    const { failuresInRow, faultCode, status } = await home.state()
    expect({ failuresInRow, faultCode, status }).toEqual({
      failuresInRow: failures + 1,
      faultCode: codes[failures],
      status: 'setup',
    })
    arrivals[failures]?.()
    expect(await shown(home)).toEqual(edited)
  }
  const pauses = times.slice(1).map((time, index) => (time - (times[index] ?? 0)) / hourMs)
  expect(pauses).toEqual([1 / 6, 1, 6, 18, 24])

  const healedAt = await nextSync(home)
  expect(healedAt - (times.at(-1) ?? 0)).toBe(24 * hourMs)
  const healed = await home.state()
  expect(healed).toMatchObject({ status: 'setup', faultCode: null, failuresInRow: 0 })
  expect(healed).toMatchObject({ addedCount: 2, changedCount: 1, matchedCount: 1 })
  expect(healed).toMatchObject({ removedCount: 0, skippedCount: 0 })
  const right = [
    { name: 'First', amount: 100, isPending: false, spendingId: null },
    { name: 'Second', amount: 200, isPending: true, spendingId: null },
    { name: 'My Cafe Roma', amount: 450, isPending: false, spendingId },
    { name: 'My Market', amount: 2_100, isPending: false, spendingId },
  ]
  expect(await shown(home)).toEqual(right)
  const { currentAmount } = await person.get(`${path}/spending/${spendingId}`)
  expect(currentAmount).toBe(5_000 - 450 - 2_100)

  await nextSync(home)
  const unchanged = { addedCount: 0, changedCount: 0, matchedCount: 0, removedCount: 0 }
  expect(await home.state()).toMatchObject({ ...unchanged, skippedCount: 0 })
  expect(await shown(home)).toEqual(right)
  expect(await auditLedger(world.coffer.booted.database('ledger'))).toEqual([])
})
