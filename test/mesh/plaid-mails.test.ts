import { create, toBinary } from '@bufbuild/protobuf'
import { eventually } from '@coffer/host/testing/boot'
import { changeOf, emit, subjectOf } from '@coffer/kit/events/changes'
import { newId } from '@coffer/kit/values/id'
import { AggregatorLinkNeedsUserSchema } from '@coffer/proto/aggregatorsync/v1/events'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { sql } from 'slonik'
import { z } from 'zod'
import { type MailSink, startMailSink } from '../providers/smtp.ts'
import { linkItem, type PlaidHome, type PlaidWorld, startPlaidWorld } from './plaid-world.ts'

const expiring = 'A link to your bank is about to end'
const broken = 'A link to your bank needs you'
const stack = new AsyncDisposableStack()
let sink: MailSink
let world: PlaidWorld

beforeAll(async () => {
  sink = stack.use(await startMailSink())
  world = stack.use(
    await startPlaidWorld({
      COFFER_SMTP_URL: sink.url,
      COFFER_SMTP_TLS: 'none',
      COFFER_EXTERNAL_URL: 'https://money.example/app',
      COFFER_AGGREGATOR_WEBHOOKS_ENABLED: 'true',
      COFFER_AGGREGATOR_WEBHOOKS_DOMAIN: 'coffer.example',
    }),
  )
  world.plaid.webhooks.origin = new URL(world.coffer.baseUrl).origin
})

afterAll(async () => {
  await stack.disposeAsync()
})

async function synced(): Promise<PlaidHome> {
  const home = await linkItem(world)
  await home.sync()
  return home
}

const mailsTo = ({ person }: PlaidHome) =>
  sink.mails.filter(({ to }) => to === person.email).map(({ subject }) => subject)

const ChangeId = z.object({ changeId: z.string() })

/** Resolves when identity has handled the link's events and sent its mails. */
async function settled({ person }: PlaidHome): Promise<void> {
  const { booted } = world.coffer
  const emitted = await booted.database('aggregator-sync').pool.anyFirst(sql.type(ChangeId)`
    SELECT change_id AS "changeId" FROM changes WHERE account_id = ${person.accountId}
      AND type = ${AggregatorLinkNeedsUserSchema.typeName}`)
  for (const changeId of emitted) await untilHandled(changeId)
  const waiting = sql.unsafe`SELECT FROM mails`
  const { pool } = booted.database('identity')
  await eventually(
    () => pool.exists(waiting),
    (isWaiting) => !isWaiting,
  )
}

async function untilHandled(changeId: string): Promise<void> {
  const { pool } = world.coffer.booted.database('identity')
  const handled = sql.unsafe`SELECT FROM inbox WHERE change_id = ${changeId}`
  await eventually(() => pool.exists(handled), Boolean)
}

test('the owner gets one mail about a consent that ends', async () => {
  const home = await synced()
  const { webhooks } = world.plaid
  const at = new Date('2027-01-02T03:04:05Z')
  for (let times = 0; times < 3; times += 1) {
    const webhook = webhooks.create(home.item, 'PENDING_EXPIRATION', { at })
    await webhooks.send(webhook)
  }
  const { text, html } = await sink.mailTo(home.person.email, expiring)
  // The account is in Chicago, where the day has not begun.
  expect(text).toContain('First Bank ends on Friday, January 1, 2027.')
  expect(text).toContain('Open Coffer: https://money.example/app')
  expect(html).toContain('First Bank')
  await settled(home)
  expect(mailsTo(home)).toEqual([expiring])
})

test('a sync that finds the error causes the mail, without webhooks too', async () => {
  const home = await synced()
  home.item.error = { code: 'ITEM_LOGIN_REQUIRED', isRefused: true }
  await home.sync()
  const { text } = await sink.mailTo(home.person.email, broken)
  expect(text).toContain('First Bank: it asks you to sign in again')
  await home.sync()
  await settled(home)
  expect(mailsTo(home)).toEqual([broken])
})

test('an event that is delivered twice causes one mail', async () => {
  const { booted } = world.coffer
  const person = await world.coffer.person()
  const { accountId } = person
  const event = { accountId, linkId: newId('link'), reason: 'revoked', institutionName: 'Bank' }
  const payload = toBinary(
    AggregatorLinkNeedsUserSchema,
    create(AggregatorLinkNeedsUserSchema, event),
  )
  const subject = subjectOf(AggregatorLinkNeedsUserSchema.typeName)
  const { handlers = [] } = booted.host.services.identity ?? {}
  const handler = handlers.find((one) => one.subject === subject)
  const delivery = { accountId, changeId: newId('chg'), consumer: 'identity' }
  for (let times = 0; times < 2; times += 1) await handler?.handle(payload, delivery)
  const waiting = sql.unsafe`SELECT FROM mails`
  const { pool } = booted.database('identity')
  await eventually(
    () => pool.exists(waiting),
    (isWaiting) => !isWaiting,
  )
  expect(sink.mails.filter(({ to }) => to === person.email)).toHaveLength(1)
})

test('an event of an account without an owner causes no mail', async () => {
  const database = world.coffer.booted.database('aggregator-sync')
  const accountId = newId('acct')
  const event = { accountId, linkId: newId('link'), reason: 'revoked', institutionName: 'Bank' }
  const subject = { accountId, entityId: event.linkId, version: 1n }
  const change = changeOf(AggregatorLinkNeedsUserSchema, subject, event)
  const before = sink.mails.length
  await database.transaction((tx) => emit(tx, change))
  await untilHandled(change.changeId)
  expect(sink.mails.length).toBe(before)
})
