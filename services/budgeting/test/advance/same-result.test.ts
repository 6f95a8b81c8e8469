import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import { eventually } from '@coffer/host/testing/boot'
import { booting } from '@coffer/host/testing/booting'
import { midnightOf } from '@coffer/kit/values/day'
import { newId } from '@coffer/kit/values/id'
import { dayMs, hourMs } from '@coffer/kit/values/time'
import { ledger } from '@coffer/ledger/service'
import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { sql } from 'slonik'
import { z } from 'zod'
import { advanceTogether } from '../../src/advance/advance-together.service.ts'
import { budgeting } from '../../src/service.ts'
import { advanceOnly, depsOf, outcome } from '../advancing.ts'
import { createBudgetHousehold, type Household } from '../household.ts'
import { createKilledProcess } from '../killed-process.ts'

const booted = booting([ledger, budgeting])

/** A timezone in which the midnight of 5 November 2023 occurs twice. */
const autumn = { timezone: 'America/Havana', start: '2023-10-25T16:00Z' }
/** A timezone that skips the first hour of 12 March 2023: the day begins at 01:00. */
const spring = { timezone: 'America/Havana', start: '2023-03-01T16:00Z' }
/** A timezone east of Greenwich whose clock changes by half an hour, at 02:00. */
const halfHour = { timezone: 'Australia/Lord_Howe', start: '2023-09-20T16:00Z' }
const span = 25 * dayMs

const parts = [
  'FREQ=DAILY;INTERVAL=3',
  'FREQ=WEEKLY;BYDAY=FR,SU',
  'FREQ=MONTHLY;BYMONTHDAY=5,12,-1',
  'FREQ=WEEKLY;COUNT=3',
]
const cases = fc.record({
  place: fc.constantFrom(autumn, spring, halfHour),
  schedules: fc.array(
    fc.record({
      parts: fc.constantFrom(...parts),
      excludeWeekends: fc.boolean(),
      estimatedDeposit: fc.option(fc.bigInt(1n, 100_000n), { nil: undefined }),
    }),
    { minLength: 1, maxLength: 2 },
  ),
  envelopes: fc.array(
    fc.record({
      schedule: fc.nat(1),
      parts: fc.option(fc.constantFrom(...parts)),
      day: fc.nat(20),
      target: fc.bigInt(1n, 9999n),
      isPaused: fc.boolean(),
      isAutomatic: fc.boolean(),
    }),
    { minLength: 1, maxLength: 4 },
  ),
})
type Case = typeof cases extends fc.Arbitrary<infer Value> ? Value : never

/** Runs of the hourly job with faults: late, two at once, or killed before a step. */
const visits = fc.array(
  fc.record({
    after: fc.integer({ min: 1, max: 24 * 20 }),
    kind: fc.constantFrom('whole', 'twice', 'killed'),
    step: fc.integer({ min: 1, max: 40 }),
  }),
  { maxLength: 6 },
)

type Visit = { after: number; kind: string; step: number }

function rulesetOf(rule: string, start: Date): string {
  const text = start.toISOString().replaceAll(/[-:]|\.000/g, '')
  return `DTSTART:${text}\nRRULE:${rule}`
}

async function createPrepared({ place, schedules, envelopes }: Case): Promise<Household> {
  const { timezone } = place
  const start = new Date(place.start)
  booted.clock.now = start
  const home = await createBudgetHousehold(booted, { timezone })
  const first = midnightOf(start, timezone)
  const fundings: string[] = []
  for (const { parts: rule, excludeWeekends, estimatedDeposit } of schedules) {
    const autoCreateTransaction = estimatedDeposit !== undefined
    const deposit = autoCreateTransaction ? { autoCreateTransaction, estimatedDeposit } : {}
    const body = { name: `Pay ${fundings.length}`, ruleset: rulesetOf(rule, first) }
    const made = await home.pay({ ...body, excludeWeekends, ...deposit })
    fundings.push(made.fundingScheduleId)
  }
  for (const [index, { parts: rule, day, target, isPaused, ...one }] of envelopes.entries()) {
    const date = midnightOf(new Date(start.getTime() + (day + 1) * dayMs), timezone)
    const due = { nextRecurrence: timestampFromDate(date), targetAmount: target, isPaused }
    const funding = fundings[one.schedule % fundings.length] ?? ''
    const plan = { name: `Envelope ${index}`, ...due }
    const autoCreateTransaction = one.isAutomatic
    if (rule === null) await home.goal(funding, plan)
    else {
      const ruleset = rulesetOf(rule, first)
      // The day of the month varies these too, without another random value.
      const late = { graceDays: day % 8, settlesWhenSpent: day % 2 === 0 }
      await home.expense(funding, { ...plan, ...late, ruleset, autoCreateTransaction })
    }
  }
  return home
}

const Due = z.object({ at: z.date().nullable() })

/** Returns the earliest next date of a household's schedules and plans; null if all are over. */
function findNextDue({ bankAccountId }: Household): Promise<Date | null> {
  return booted.database('budgeting').pool.oneFirst(sql.type(Due)`
    SELECT min(next_recurrence) AS at FROM (
      SELECT next_recurrence FROM funding_schedules
      WHERE bank_account_id = ${bankAccountId} AND last_recurrence IS DISTINCT FROM next_recurrence
      UNION ALL
      SELECT next_recurrence FROM spending
      WHERE bank_account_id = ${bankAccountId} AND last_recurrence IS DISTINCT FROM next_recurrence
        AND NOT is_paused
      UNION ALL
      SELECT grace_until FROM spending WHERE bank_account_id = ${bankAccountId} AND NOT is_paused
    ) AS due`)
}

/** Runs the job at the first full hour (UTC) from each date on; in other hours nothing is due. */
async function runHourly(home: Household, { start }: Case['place']): Promise<void> {
  const end = Date.parse(start) + span
  let due = await findNextDue(home)
  while (due !== null && due.getTime() <= end) {
    await advanceOnly(booted, home, new Date(Math.ceil(due.getTime() / hourMs) * hourMs))
    due = await findNextDue(home)
  }
}

async function runWithFaults(home: Household, place: Case['place'], wrong: readonly Visit[]) {
  const start = Date.parse(place.start)
  for (const { after, kind, step } of wrong.toSorted((a, b) => a.after - b.after)) {
    const now = new Date(start + after * hourMs)
    booted.clock.now = now
    const whole = () => advanceTogether(depsOf(booted), [home], now)
    const { deps } = createKilledProcess(depsOf(booted), step)
    const killed = () => advanceTogether(deps, [home], now).catch(() => undefined)
    if (kind === 'whole') await whole()
    if (kind === 'twice') await Promise.all([whole(), whole()])
    if (kind === 'killed') await Promise.all([killed(), killed()])
  }
  await advanceOnly(booted, home, new Date(start + span))
}

test('an hourly job with late, concurrent and killed runs has the same result', async () => {
  await fc.assert(
    fc.asyncProperty(cases, visits, async (chosen, wrong) => {
      const clean = await createPrepared(chosen)
      await runHourly(clean, chosen.place)
      const home = await createPrepared(chosen)
      await runWithFaults(home, chosen.place, wrong)
      expect(await outcome(home)).toEqual(await outcome(clean))
    }),
    { numRuns: 4, endOnFailure: true },
  )
})

const ChangeId = z.object({ change_id: z.string() })

/** Returns whether budgeting has handled every published event. */
async function isQuiet(): Promise<boolean> {
  const manager = await booted.broker.stream.jetstreamManager()
  const { num_pending, num_ack_pending } = await manager.consumers.info(
    booted.broker.streamName,
    'budgeting',
  )
  const waiting = await booted.database('ledger').pool.exists(sql.unsafe`
    SELECT FROM changes WHERE published_at IS NULL`)
  return !waiting && num_pending + num_ack_pending === 0
}

test('repeated events in another order change nothing', async () => {
  const envelope = { schedule: 0, target: 900n, isPaused: false, isAutomatic: true }
  const home = await createPrepared({
    place: autumn,
    schedules: [{ parts: 'FREQ=DAILY;INTERVAL=3', excludeWeekends: true, estimatedDeposit: 5n }],
    envelopes: [
      { ...envelope, parts: 'FREQ=WEEKLY;BYDAY=FR,SU', day: 2 },
      { ...envelope, parts: null, day: 20 },
    ],
  })
  await runHourly(home, autumn)
  await eventually(isQuiet, Boolean)
  const before = await outcome(home)
  const rows = await booted.database('ledger').pool.anyFirst(sql.type(ChangeId)`
    SELECT change_id FROM changes WHERE account_id = ${home.accountId} ORDER BY change_id DESC`)
  expect(rows.length).toBeGreaterThan(10)
  for (const changeId of rows) {
    await booted.database('ledger').pool.query(sql.unsafe`
      INSERT INTO changes (change_id, account_id, type, entity_id, version, payload)
      SELECT ${newId('chg')}, account_id, type, entity_id, version, payload FROM changes
      WHERE change_id = ${changeId}`)
  }
  await eventually(isQuiet, Boolean)
  expect(await outcome(home)).toEqual(before)
})
