import { readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { FatalError } from '@coffer/local/bootstrap/fatal-error.mjs'
import { DateTime } from 'luxon'
import { z } from 'zod'
import { BankAccount, Link, Schedule, Spending, Transaction, Upload } from './replies.ts'
import type { Rest } from './rest.ts'
import { type EnvelopePlan, envelopePlans, household, schedulePlans } from './story.ts'

const file = new URL('../../../../test/data/checking.qfx', import.meta.url)
const pollMs = 200
const importTimeoutMs = 60_000
const assignedMax = 3

/**
 * Loads the demo's household through the REST API, and returns the ID of its bank account. Due
 * dates are calculated from `now`. Idempotent: an object whose name exists is left as it is. Throws
 * FatalError when the import of the transactions fails or takes longer than 60 s.
 */
export async function loadDemo(rest: Rest, now: Date): Promise<string> {
  const bankAccountId = await bankAccount(rest)
  const path = `/bank_accounts/${bankAccountId}`
  await transactions(rest, path)
  const today = DateTime.fromJSDate(now, { zone: household.timezone }).startOf('day')
  const schedules = await schedulesByName(rest, path, today)
  const known = await rest.get(`${path}/spending`, z.array(Spending))
  for (const plan of envelopePlans(today)) {
    if (!known.some(({ name }) => name === plan.name)) {
      const fundingScheduleId = schedules.get(plan.schedule) ?? ''
      await createEnvelope({ rest, path, plan, fundingScheduleId })
    }
  }
  return bankAccountId
}

async function bankAccount(rest: Rest): Promise<string> {
  const { institutionName, accountName: name } = household
  const links = await rest.get('/links', z.array(Link))
  const link =
    links.find((one) => one.institutionName === institutionName) ??
    (await rest.post('/links', { institutionName }, Link))
  const { linkId } = link
  const accounts = await rest.get('/bank_accounts', z.array(BankAccount))
  const account =
    accounts.find((one) => one.linkId === linkId && one.name === name) ??
    (await rest.post(
      '/bank_accounts',
      { linkId, name, mask: '4417', currency: 'USD' },
      BankAccount,
    ))
  return account.bankAccountId
}

/** Uploads the demo's QFX file and awaits its import, unless the bank account has transactions. */
async function transactions(rest: Rest, path: string): Promise<void> {
  const some = await rest.get(`${path}/transactions?limit=1`, z.array(Transaction))
  if (some.length > 0) return
  const form = new FormData()
  const content = new Uint8Array(await readFile(file))
  form.set('data', new File([content], 'checking.qfx', { type: 'application/vnd.intu.QFX' }))
  const { transactionUploadId } = await rest.post(`${path}/transactions/upload`, form, Upload)
  const deadline = performance.now() + importTimeoutMs
  for (;;) {
    const upload = await rest.get(`${path}/transactions/upload/${transactionUploadId}`, Upload)
    if (upload.status === 'complete') return
    if (upload.status === 'failed' || performance.now() > deadline) {
      throw new FatalError(`The import is ${upload.status}: ${upload.error ?? 'it takes too long'}`)
    }
    await sleep(pollMs)
  }
}

async function schedulesByName(
  rest: Rest,
  path: string,
  today: DateTime,
): Promise<Map<string, string>> {
  const known = await rest.get(`${path}/funding_schedules`, z.array(Schedule))
  const ids = new Map(known.map((one) => [one.name, one.fundingScheduleId]))
  for (const plan of schedulePlans(today)) {
    if (!ids.has(plan.name)) {
      const body = { ...plan, excludeWeekends: true }
      const made = await rest.post(`${path}/funding_schedules`, body, Schedule)
      ids.set(plan.name, made.fundingScheduleId)
    }
  }
  return ids
}

/**
 * Creates an envelope with its plan, fills it, and spends the newest matching transactions from it.
 * The envelope then holds the amount `plan.held`, in minor units.
 */
async function createEnvelope(options: {
  rest: Rest
  path: string
  plan: EnvelopePlan
  fundingScheduleId: string
}): Promise<void> {
  const { rest, path, plan, fundingScheduleId } = options
  const { spendingType, name, targetAmount, ruleset, held } = plan
  const nextRecurrence = plan.nextRecurrence.toUTC().toISO()
  const body = { spendingType, name, fundingScheduleId, targetAmount, nextRecurrence, ruleset }
  const { spendingId } = await rest.post(`${path}/spending`, body, Spending)
  const paid = await newestPaid(rest, path, plan.spentAt)
  const amount = paid.reduce((sum, transaction) => sum + transaction.amount, held)
  const transfer = { fromSpendingId: null, toSpendingId: spendingId, amount }
  await rest.post(`${path}/spending/transfer`, transfer, z.unknown())
  for (const { transactionId } of paid) {
    await rest.patch(`${path}/transactions/${transactionId}`, { spendingId })
  }
}

/** Returns the newest payments at `shops` that are not spent from an envelope; three at most. */
async function newestPaid(
  rest: Rest,
  path: string,
  shops: string[],
): Promise<z.infer<typeof Transaction>[]> {
  const newest = await rest.get(`${path}/transactions?limit=100`, z.array(Transaction))
  return newest
    .filter(({ amount, spendingId }) => amount > 0 && spendingId === null)
    .filter(({ name }) => shops.some((shop) => name.toUpperCase().startsWith(shop)))
    .slice(0, assignedMax)
}
