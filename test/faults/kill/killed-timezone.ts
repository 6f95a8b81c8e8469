import { eventually } from '@coffer/host/testing/boot'
import { expect } from '@jest/globals'
import { type Answer, type Json, newPerson, type Person } from '../../harness/person.ts'
import type { Interrupted, Killable } from './interrupted.ts'

const [from, to] = ['America/Chicago', 'Europe/Berlin'] as const

/** More transactions than one step of the ledger moves (docs/account-data.md#a-new-timezone). */
const transactions = 1_001

/** A place of the change at which the process is killed. */
interface Point {
  /** Prepares the hold; `reached` resolves when the change waits for it. */
  hold: (killable: Killable, moving: Moving) => Promise<Hold>
  /** Timezones of the bank accounts in the ledger (`` between two steps), then of the plans. */
  reached: (string | null)[]
  /** Whether requests are refused at the point; at others, locks of the change delay them. */
  isRefusing?: boolean
}

interface Hold {
  reached: () => Promise<unknown>
  end: () => Promise<unknown>
}

/** An account before the change. */
interface Moving {
  person: Person
  /** Path of a bank account with transactions, a goal, and an expense that is settled. */
  path: string
  journal: Json[]
}

/** The change is requested, and its event is not published. */
const requested: Point = {
  hold: async () => ({ reached: async () => undefined, end: async () => undefined }),
  reached: [null, null, from],
}

/** Points between and within the steps; those that hold a COMMIT count those before it. */
const steps: Point[] = [
  // The ledger has moved one of two bank accounts, and the workflow does not know it.
  { hold: atCommit(2), reached: [to, from, from] },
  { hold: atCommit(4), reached: [to, to, to] },
  { hold: atRow('ledger.bank_accounts'), reached: [null, null, from] },
  // The second step waits for the last transaction; the first is committed.
  { hold: atRow('ledger.transactions', 'transaction_id'), reached: ['', from, from] },
  { hold: atRow('budgeting.spending'), reached: [to, to, from], isRefusing: true },
  { hold: atRow('identity.accounts'), reached: [to, to, to] },
]

/** Prepares a change of the timezone that is killed before its event is published. */
export const prepareTimezoneRequest = (of: Killable) => prepareTimezoneChanges(of, [requested])

/** Prepares changes of the timezones of accounts that are killed at several points. */
export const prepareTimezoneSteps = (of: Killable) => prepareTimezoneChanges(of, steps)

async function prepareTimezoneChanges(killable: Killable, points: Point[]): Promise<Interrupted> {
  const undisturbed = await createMoving(killable)
  await requestChange(undisturbed.person, to)
  await untilMoved(undisturbed.person)
  await importLunch(undisturbed)
  const expected = await outcomeOf(killable, undisturbed)
  const cases: { point: Point; moving: Moving; upload: string; end: Hold['end'] }[] = []
  for (const point of points) {
    const moving = await createMoving(killable)
    cases.push({ point, moving, upload: '', end: async () => undefined })
  }
  return {
    act: async () => {
      for (const one of cases) {
        const { person, path } = one.moving
        const hold = await one.point.hold(killable, one.moving)
        one.end = hold.end
        expect((await requestChange(person, to)).status).toBe(200)
        await hold.reached()
        if (!one.point.isRefusing) continue
        expect((await requestChange(person, 'Asia/Tokyo')).status).toBe(409)
        const body = { name: 'Tea', amount: 100, date: midnight, adjustsBalance: true }
        expect((await person.call('POST', `${path}/transactions`, { body })).status).toBe(503)
        one.upload = await upload(one.moving)
      }
    },
    whileDown: async () => {
      for (const { point, moving, end } of cases) {
        await end()
        expect(await timezonesOf(killable, moving)).toEqual(point.reached)
      }
    },
    afterRestart: async () => {
      const ends = cases.map(async ({ moving, upload }) => {
        await untilMoved(moving.person)
        await (upload === '' ? importLunch(moving) : untilImported(moving, upload))
        const once = await outcomeOf(killable, moving)
        expect(once).toEqual(expected)
        const journal = await journalOf(killable, moving)
        expect(journal.slice(0, moving.journal.length)).toEqual(moving.journal)
        const versions = await versionsOf(killable, moving)
        expect((await requestChange(moving.person, to)).status).toBe(200)
        await untilMoved(moving.person)
        expect(await outcomeOf(killable, moving)).toEqual(once)
        expect(await versionsOf(killable, moving)).toEqual(versions)
      })
      await Promise.all(ends)
    },
  }
}

/** Holds the COMMIT of a transaction that writes the timezone; it is executed after the kill. */
function atCommit(skipped: number): Point['hold'] {
  return async ({ deployment: { database } }) => {
    const held = database.holdCommit(to, skipped)
    return { reached: () => held, end: async () => (await held).deliver() }
  }
}

/** Locks the account's last row of a table until the kill; a statement waits for it. */
function atRow(table: string, key = 'account_id'): Point['hold'] {
  return async ({ connect }, { person: { accountId } }) => {
    const holder = await connect()
    await holder.query('BEGIN')
    const select = `SELECT FROM ${table} WHERE account_id = $1 ORDER BY ${key} DESC LIMIT 1`
    await holder.query(`${select} FOR NO KEY UPDATE`, [accountId])
    const waiting =
      'SELECT FROM pg_stat_activity WHERE pg_backend_pid() = ANY(pg_blocking_pids(pid))'
    const isAwaited = async () => (await holder.query(waiting)).rowCount !== 0
    return {
      reached: () => eventually(isAwaited, Boolean),
      end: () => holder.query('ROLLBACK'),
    }
  }
}

const midnight = '2026-05-03T05:00:00Z'

/** Creates an account in Chicago with two bank accounts, plans and a transaction of an expense. */
async function createMoving(killable: Killable): Promise<Moving> {
  const person = await newPerson(killable.deployment.baseUrl, { timezone: from })
  const { path } = await person.createBankAccount(1_000_000)
  const second = await person.createBankAccount(10_000)
  const tea = { name: 'Tea', amount: 10, date: midnight, adjustsBalance: true }
  for (let left = transactions - 1; left > 0; left -= 500) {
    const page = Array.from({ length: Math.min(left, 500) }, () => tea)
    await person.post(`${path}/transactions/bulk`, { transactions: page })
  }
  await person.post(`${second.path}/transactions`, tea)
  const year = new Date().getUTCFullYear() + 1
  const ruleset = `DTSTART:${year}0101T060000Z\nRRULE:FREQ=MONTHLY;BYMONTHDAY=1`
  const { fundingScheduleId } = await person.post(`${path}/funding_schedules`, {
    name: 'Pay',
    ruleset,
  })
  const plan = { fundingScheduleId, targetAmount: 80_000 }
  const rent = { ...plan, spendingType: 'expense', name: 'Rent', ruleset }
  const nextRecurrence = `${year + 1}-01-01T06:00:00Z`
  await person.post(`${path}/spending`, {
    ...plan,
    spendingType: 'goal',
    name: 'Bike',
    nextRecurrence,
  })
  const { spendingId } = await person.post(`${path}/spending`, rent)
  await person.post(`${path}/spending/transfer`, { toSpendingId: spendingId, amount: 50_000 })
  await person.post(`${path}/transactions`, { ...tea, amount: 20_000, spendingId })
  await person.post(`${path}/spending/${spendingId}/settle`, {})
  const moving = { person, path, journal: [] }
  const saved = 'SELECT period_spent_on AS day FROM budgeting.spending WHERE spending_id = $1'
  await eventually(
    () => killable.read(saved, spendingId),
    ({ day }) => day !== null,
  )
  return { ...moving, journal: await journalOf(killable, moving) }
}

function requestChange({ call, password }: Person, timezone: string): Promise<Answer> {
  const body = { timezone, currentPassword: password }
  return call('PUT', '/users/me/timezone', { body, asSession: true })
}

async function untilMoved(person: Person): Promise<void> {
  const account = async (): Promise<Json> => (await person.get('/users/me')).user.account
  const isMoved = ({ timezone, pendingTimezone }: Json) => timezone === to && !pendingTimezone
  await eventually(account, isMoved, 90_000)
}

/** Uploads a file with a transaction of 15 January; returns the ID of the upload. */
async function upload({ person, path }: Moving): Promise<string> {
  const form = new FormData()
  form.set('data', new Blob(['!Type:Bank\nD01/15/2026\nT-12.50\nPLunch\n^\n']), 'bank.qif')
  const { status, body } = await person.call('POST', `${path}/transactions/upload`, { form })
  expect(status).toBe(200)
  return body.transactionUploadId
}

async function untilImported({ person, path }: Moving, uploadId: string): Promise<void> {
  const read = () => person.get(`${path}/transactions/upload/${uploadId}`)
  await eventually(read, ({ status }) => status === 'complete')
}

async function importLunch(moving: Moving): Promise<void> {
  await untilImported(moving, await upload(moving))
}

/** Returns all that a change of the timezone moves, without IDs, and the amounts of the account. */
function outcomeOf({ read }: Killable, { person }: Moving): Promise<Json> {
  const rows = (columns: string, table: string, order: string) =>
    `(SELECT json_agg(one) FROM
      (SELECT ${columns} FROM ${table} WHERE account_id = $1 ${order}) AS one)`
  const plan = `name, ruleset, last_recurrence, next_recurrence, settled_for, period_spent_on,
    target_amount, current_amount, next_contribution_amount, is_behind, settled_by_request`
  const day = 'name, amount, date, count(*)'
  const schedule = 'name, ruleset, last_recurrence, next_recurrence, next_recurrence_original'
  const money = 'available_balance, current_balance, balances_as_of, dates_timezone'
  const held = 'current_amount, used_amount, period_spent, period_spent_on'
  return read(
    `SELECT
      ${rows(day, 'ledger.transactions', 'GROUP BY 1, 2, 3 ORDER BY 3, 2')} AS days,
      ${rows(money, 'ledger.bank_accounts', 'ORDER BY bank_account_id')} AS money,
      ${rows(held, 'ledger.envelopes', 'ORDER BY current_amount')} AS held,
      ${rows(plan, 'budgeting.spending', 'ORDER BY name')} AS plans,
      ${rows(schedule, 'budgeting.funding_schedules', 'ORDER BY name')} AS schedules,
      (SELECT timezone FROM budgeting.account_settings WHERE account_id = $1) AS timezone`,
    person.accountId,
  )
}

async function journalOf({ read }: Killable, { person }: Moving): Promise<Json[]> {
  const journal = `SELECT json_agg(j ORDER BY entry_id) AS entries FROM ledger.journal AS j
    WHERE account_id = $1`
  return (await read(journal, person.accountId)).entries
}

function versionsOf({ read }: Killable, { person }: Moving): Promise<Json> {
  const versions = `SELECT json_agg(version ORDER BY bank_account_id) AS versions
    FROM ledger.bank_accounts WHERE account_id = $1`
  return read(versions, person.accountId)
}

async function timezonesOf({ read }: Killable, { person }: Moving): Promise<(string | null)[]> {
  const { money, plans } = await read(
    `SELECT json_agg(dates_timezone ORDER BY bank_account_id) AS money,
      (SELECT timezone FROM budgeting.account_settings WHERE account_id = $1) AS plans
     FROM ledger.bank_accounts WHERE account_id = $1`,
    person.accountId,
  )
  return [...money, plans]
}
