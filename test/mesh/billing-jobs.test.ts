import { create, fromBinary, toBinary } from '@bufbuild/protobuf'
import { eventually } from '@coffer/host/testing/boot'
import { started } from '@coffer/host/testing/started'
import { registrationHandler } from '@coffer/identity/billing/billing.consumer'
import { newId } from '@coffer/kit/values/id'
import type { WorkflowStart, Workflows } from '@coffer/kit/workflows/workflows'
import { AccountSettingsChangedSchema } from '@coffer/proto/identity/v1/events'
import { expect, test } from '@jest/globals'
import { sql } from 'slonik'
import { z } from 'zod'
import { startCoffer } from '../harness/coffer.ts'
import type { Person } from '../harness/person.ts'
import { startMailSink } from '../providers/smtp.ts'
import { startStripe } from '../providers/stripe.ts'

const dayMs = 24 * 60 * 60_000

const stripe = started(() => startStripe())
const sink = started(() => startMailSink())
const coffer = started(() =>
  startCoffer({ ...stripe.settings, COFFER_SMTP_URL: sink.url, COFFER_SMTP_TLS: 'none' }),
)

const isCustomer = ({ email }: Person) => {
  return stripe.customers().filter((customer) => customer.email === email).length
}

/** Runs a workflow of identity to its end. In production a Temporal schedule starts it. */
async function run(type: string): Promise<void> {
  const { prefix, workflows } = coffer.booted
  const taskQueue = `${prefix}/workflows`
  await workflows.client.workflow.execute(type, { taskQueue, workflowId: newId('run'), args: [] })
}

async function waitingMails(): Promise<number> {
  const Row = z.object({ waiting: z.bigint() })
  const { pool } = coffer.booted.database('identity')
  return Number(await pool.oneFirst(sql.type(Row)`SELECT count(*) AS waiting FROM mails`))
}

function types(person: Person): Promise<readonly string[]> {
  return coffer.booted.changes('identity', person.accountId)
}

test('every registration creates one customer, also when Stripe is down at first', async () => {
  const person = await coffer.person()
  await eventually(async () => isCustomer(person), Boolean)
  stripe.failWith(500)
  const late = await coffer.person()
  await eventually(
    async () => stripe.requests.filter((one) => one === 'POST /v1/customers').length,
    (count) => count >= 2,
  )
  stripe.failWith(null)
  await eventually(async () => isCustomer(late), Boolean, 20_000)
  await late.call('POST', '/billing/create_checkout', { asSession: true })
  expect([isCustomer(person), isCustomer(late)]).toEqual([1, 1])
})

test('a repeated event of a registration creates no second customer', async () => {
  const [person, other] = [await coffer.person(), await coffer.person()]
  const database = coffer.booted.database('identity')
  const kept = ({ accountId }: Person) =>
    database.pool.exists(sql.unsafe`
      SELECT FROM accounts WHERE account_id = ${accountId} AND billing_customer_id IS NOT NULL`)
  for (const one of [person, other]) await eventually(() => kept(one), Boolean)
  await database.pool.query(sql.unsafe`
    UPDATE accounts SET billing_customer_id = NULL WHERE account_id = ${other.accountId}`)
  const started: string[] = []
  const start = async ({ id }: WorkflowStart) => void started.push(id)
  const workflows: Workflows = { start }
  const { handle } = registrationHandler({ database, workflows, hasBilling: true })
  for (const { accountId } of [person, other]) {
    const told = create(AccountSettingsChangedSchema, { accountId, version: 1n })
    const delivery = { changeId: newId('chg'), accountId, consumer: 'identity' }
    await handle(toBinary(AccountSettingsChangedSchema, told), delivery)
  }
  expect(started).toEqual([`billing-customer/${other.accountId}`])
})

test('accounts older than billing get a trial and a customer', async () => {
  const { pool } = coffer.booted.database('identity')
  const person = await coffer.person()
  await eventually(async () => isCustomer(person), Boolean)
  await pool.query(sql.unsafe`
    UPDATE accounts SET trial_ends_at = NULL, billing_customer_id = NULL,
      created_at = now() - interval '1 day'
    WHERE account_id = ${person.accountId}`)
  await run('sweepBilling')
  const { body } = await person.call('GET', '/users/me')
  expect(body).toMatchObject({ isActive: true, isTrialing: true })
  const Row = z.object({ payload: z.instanceof(Buffer) })
  const row = await pool.one(sql.type(Row)`
    SELECT payload FROM changes WHERE account_id = ${person.accountId}
    ORDER BY change_id DESC LIMIT 1`)
  const told = fromBinary(AccountSettingsChangedSchema, row.payload)
  expect(told.version).toBe(2n)
  expect(Number(told.subscriptionActiveUntil?.seconds) * 1000).toBeGreaterThan(
    Date.now() + 29 * dayMs,
  )
  await eventually(
    async () => stripe.requests.filter((one) => one === 'POST /v1/customers').length,
    (count) => count >= 2,
  )
})

test('an owner without a subscription gets one mail about the end of the trial', async () => {
  const timezone = 'America/Chicago'
  const [person, subscriber] = [await coffer.person({ timezone }), await coffer.person()]
  const begun = Date.now()
  const asSession = { asSession: true }
  const { body } = await subscriber.call('POST', '/billing/create_checkout', asSession)
  stripe.pay(body.sessionId)
  await subscriber.call('GET', `/billing/checkout/${body.sessionId}`, asSession)
  const ending = 'coffer.identity.v1.TrialEnding'
  const told = async (days: number) => {
    coffer.booted.clock.now = new Date(begun + days * dayMs)
    await run('remindOfTrials')
    return (await types(person)).filter((type) => type === ending).length
  }
  expect([await told(24), await told(26)]).toEqual([0, 1])
  const { text, html } = await sink.mailTo(person.email, 'Your trial is about to end')
  const dateStyle = { dateStyle: 'full', timeZone: timezone } as const
  const day = new Date(begun + 30 * dayMs).toLocaleDateString('en-US', dateStyle)
  for (const form of [text, html]) {
    expect(form).toMatch(/ends in [34] days, on/)
    expect(form).toContain(day)
  }
  expect(await told(27)).toBe(1)
  expect(await types(subscriber)).not.toContain(ending)
  await eventually(waitingMails, (waiting) => waiting === 0)
  expect(sink.mails.filter(({ to }) => to === person.email)).toHaveLength(1)
  expect(sink.mails.filter(({ to }) => to === subscriber.email)).toEqual([])
  coffer.booted.clock.now = null
})

test('an owner who subscribes before the mail is sent gets no mail', async () => {
  const person = await coffer.person()
  const begun = Date.now()
  sink.refuse(451, 1_000)
  coffer.booted.clock.now = new Date(begun + 26 * dayMs)
  const before = sink.refusals()
  await run('remindOfTrials')
  await eventually(
    async () => sink.refusals() - before,
    (refusals) => refusals > 0,
  )
  coffer.booted.clock.now = null
  const asSession = { asSession: true }
  const { body } = await person.call('POST', '/billing/create_checkout', asSession)
  stripe.pay(body.sessionId)
  await person.call('GET', `/billing/checkout/${body.sessionId}`, asSession)
  sink.refuse(0, 0)
  await eventually(waitingMails, (waiting) => waiting === 0, 30_000)
  expect(sink.mails.filter(({ to }) => to === person.email)).toEqual([])
})

test('Stripe is asked about a period that ended without an event', async () => {
  const person = await coffer.person()
  const asSession = { asSession: true }
  const { body } = await person.call('POST', '/billing/create_checkout', asSession)
  const begun = Date.now()
  const until = new Date(Math.ceil(begun / 1000) * 1000 + 40 * dayMs)
  const subscriptionId = stripe.pay(body.sessionId, { until })
  await person.call('GET', `/billing/checkout/${body.sessionId}`, asSession)
  const renewed = new Date(until.getTime() + 30 * dayMs)
  stripe.change(subscriptionId, { until: renewed })
  coffer.booted.clock.now = new Date(begun + 45 * dayMs)
  await run('reconcileSubscriptions')
  const Row = z.object({ until: z.date() })
  const stored = await coffer.booted.database('identity').pool.oneFirst(sql.type(Row)`
    SELECT subscription_active_until AS until FROM accounts WHERE account_id = ${person.accountId}`)
  expect(stored).toEqual(new Date(renewed.getTime() + 4 * dayMs))
})
