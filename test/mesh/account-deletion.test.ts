import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { type Booted, eventually } from '@coffer/host/testing/boot'
import { started } from '@coffer/host/testing/started'
import { newId } from '@coffer/kit/values/id'
import { FundingScheduleService } from '@coffer/proto/budgeting/v1/funding_schedule'
import { FeedLinkService } from '@coffer/proto/feedsync/v1/feed_link'
import { BankAccountService } from '@coffer/proto/ledger/v1/bank_account'
import { LinkService } from '@coffer/proto/ledger/v1/link'
import { expect, test } from '@jest/globals'
import { storedMessages } from '../harness/messages.ts'
import { call, type Person } from '../harness/person.ts'
import { fullSettings, startFullCoffer } from './full-account.ts'
import { rowsOf } from './rows-of-account.ts'

const full = started(() => startFullCoffer())

const schemas = ['aggregator_sync', 'budgeting', 'feed_sync', 'identity', 'ledger', 'notices']

/** Counts of rows that background jobs may still add meanwhile. */
const uncounted = {
  'ledger.changes': 0,
  'ledger.change_sequences': 0,
  'notices.feeds': 0,
  'notices.feed_events': 0,
}

/** A tombstone is a row by which each service recognises and deletes late rows of the account. */
const tombstones = Object.fromEntries(schemas.map((schema) => [`${schema}.deleted_accounts`, 1]))

const asSession = { asSession: true }

function deletes(person: Person, body: object = { currentPassword: person.password }) {
  return person.call('DELETE', '/users/me', { ...asSession, body })
}

test('a deleted account leaves no row in any table, no file and no customer', async () => {
  const { coffer, stripe } = full
  const [person, neighbour] = [await full.createAccount(), await full.createAccount()]
  const { databaseUrl } = coffer.booted
  const before = await rowsOf(databaseUrl, person)
  const some = ['identity.logins', 'ledger.journal', 'ledger.files', 'ledger.envelopes']
  const others = ['budgeting.spending', 'budgeting.funding_schedules', 'feed_sync.feed_keys']
  expect(Object.keys(before)).toEqual(expect.arrayContaining([...some, ...others]))
  const settled = async () => ({
    ...(await rowsOf(databaseUrl, neighbour)),
    ...uncounted,
    'ledger.transaction_clusters': 0,
  })
  const kept = await settled()
  expect((await deletes(person)).status).toBe(200)
  const left = await eventually(
    () => rowsOf(databaseUrl, person),
    (rows) => Object.keys(rows).length <= 7,
    60_000,
  )
  // The row in `account_deletions` is kept until a second round deletes late rows of the account.
  expect(left).toEqual({ ...tombstones, 'identity.account_deletions': 1 })
  expect(await settled()).toEqual(kept)
  expect(stripe.customers().map(({ email }) => email)).not.toContain(person.email)
  const files = await readdir(join(coffer.dataDir, 'files'), { recursive: true })
  expect(files.filter((file) => file.includes(person.accountId))).toEqual([])
})

test('late rows are deleted in the second round; a replay restores nothing', async () => {
  const { booted } = full.coffer
  const person = await full.createAccount()
  const rows = () => rowsOf(booted.databaseUrl, person)
  // Reads until messages are there, because the outbox relay publishes changes asynchronously.
  const published = await eventually(
    () => messagesOf(booted, person),
    ({ length }) => length > 3,
  )
  expect((await deletes(person)).status).toBe(200)
  await eventually(rows, (left) => Object.keys(left).length <= 7, 60_000)
  await sendLateWrites(booted, person)
  await publishAgain(booted, published)
  const late = ['ledger.links', 'ledger.bank_accounts', 'budgeting.funding_schedules']
  expect(Object.keys(await rows())).toEqual(
    expect.arrayContaining([...late, 'feed_sync.feed_keys']),
  )
  // Restarts the deletion's workflow, so that its second round begins after one second.
  const id = `delete-account/${person.accountId}`
  await booted.workflows.client.workflow.getHandle(`${booted.prefix}/workflows/${id}`).terminate()
  const args = [person.accountId, 1_000]
  await booted.workflows.start({ id, type: 'deleteAccount', args })
  const isSettled = (left: object) => !('identity.account_deletions' in left)
  // 180 s, because two rounds of the deletion run over six services.
  expect(await eventually(rows, isSettled, 180_000)).toEqual(tombstones)
  await publishAgain(booted, published)
  expect(await rows()).toEqual(tombstones)
})

/** Sends writes with caller tokens that were issued before the deletion and are still valid. */
async function sendLateWrites(booted: Booted, { accountId }: Person): Promise<void> {
  const as = booted.as(accountId)
  const { link } = await booted
    .client('ledger', LinkService)
    .createLink({ institutionName: 'Late Bank' }, as)
  const { bankAccount } = await booted
    .client('ledger', BankAccountService)
    .createBankAccount({ linkId: link?.linkId ?? '', name: 'Late' }, as)
  const { bankAccountId = '' } = bankAccount ?? {}
  const ruleset = 'DTSTART:20260101T000000Z\nRRULE:FREQ=MONTHLY;INTERVAL=1;BYMONTHDAY=1'
  await booted
    .client('budgeting', FundingScheduleService)
    .createFundingSchedule({ bankAccountId, name: 'Late pay', ruleset }, as)
  const feedUrl = fullSettings.COFFER_FEED_ALLOWED_URLS
  await booted
    .client('feed-sync', FeedLinkService)
    .createFeedLink({ name: 'Late', feedUrl, apiKey: 'aKeyThatIsLate' }, as)
}

/** Returns all messages about an account in the NATS stream. */
async function messagesOf({ broker }: Booted, { accountId }: Person) {
  const all = await storedMessages(broker)
  return all.filter(({ header }) => header.get('Coffer-Account') === accountId)
}

/** Publishes the messages again under new IDs, and waits until every consumer has handled them. */
async function publishAgain(
  { broker }: Booted,
  published: Awaited<ReturnType<typeof messagesOf>>,
): Promise<void> {
  for (const { subject, data, header } of published) {
    header.delete('Nats-Msg-Id')
    await broker.stream.publish(subject, data, { msgID: newId('chg'), headers: header })
  }
  const { consumers } = await broker.stream.jetstreamManager()
  const waiting = async () => {
    let count = 0
    for await (const consumer of consumers.list(broker.streamName)) {
      count += consumer.num_pending + consumer.num_ack_pending
    }
    return count
  }
  await eventually(waiting, (count) => count === 0, 60_000)
}

test('after the answer sessions, API keys and the password are refused', async () => {
  const person = await full.coffer.person()
  expect((await deletes(person)).status).toBe(200)
  expect((await person.call('GET', '/links')).status).toBe(401)
  expect((await person.call('GET', '/users/me', asSession)).status).toBe(401)
  const credentials = { email: person.email, password: person.password }
  const login = await call(full.coffer.baseUrl, 'POST', '/authentication/login', {
    body: credentials,
  })
  expect(login.status).toBe(401)
})

test.each([
  ['a wrong password', { currentPassword: 'not this one' }, 401],
  ['a code of a login without authenticator', { totp: '123456' }, 401],
  ['an empty body', {}, 400],
])('%s deletes nothing', async (_, body, status) => {
  const person = await full.coffer.person()
  expect((await deletes(person, body)).status).toBe(status)
  expect((await person.call('GET', '/users/me', asSession)).status).toBe(200)
})

/** Starts a workflow through Temporal alone, and waits for its end. */
async function forge(type: string, ...args: unknown[]): Promise<void> {
  const { workflows, prefix } = full.coffer.booted
  const id = `forged/${newId('t')}`
  await workflows.start({ type, id, args })
  const run = workflows.client.workflow.getHandle(`${prefix}/workflows/${id}`)
  await run.result().catch(() => undefined)
}

const forgeries: [string, (person: Person, linkId: string) => unknown[]][] = [
  ['deleteAccount', ({ accountId }) => [accountId, 0]],
  ['cleanUpLink', ({ accountId }, linkId) => [{ accountId, linkId }]],
]

test.each(forgeries)(
  'a workflow %s that no request led to deletes nothing',
  async (type, argsOf) => {
    const { coffer, stripe, createAccount } = full
    const person = await createAccount()
    const [{ linkId }] = await person.get('/links')
    const rows = async () => ({
      ...(await rowsOf(coffer.booted.databaseUrl, person)),
      ...uncounted,
      'ledger.transaction_clusters': 0,
    })
    const before = await rows()
    await forge(type, ...argsOf(person, linkId))
    expect(await rows()).toEqual(before)
    expect(stripe.customers().map(({ email }) => email)).toContain(person.email)
    expect((await person.call('GET', '/users/me', asSession)).status).toBe(200)
  },
)

test('activities that delete refuse an account and a link that are to be kept', async () => {
  const { accountId, get } = await full.createAccount()
  const [{ linkId }] = await get('/links')
  const [{ bankAccountId }] = await get('/bank_accounts')
  const { services } = full.coffer.booted.host
  const ofAccount = ['closeAccount', 'removeAccountRows', 'endBilling']
  const calls = Object.values(services).flatMap(({ activities = {} }) => [
    ...ofAccount.flatMap((name) => activities[name]?.(accountId) ?? []),
    ...Object.keys(activities)
      .filter((name) => /^release\w+Connection$/.test(name))
      .map((name) => activities[name]?.(accountId, linkId)),
    ...(activities.removePlans ? [activities.removePlans(accountId, [bankAccountId])] : []),
  ])
  const outcomes = await Promise.allSettled(calls)
  // Two of each of six services, the billing of identity, the plans, and two connections.
  expect(outcomes).toHaveLength(16)
  expect(outcomes.filter(({ status }) => status === 'fulfilled')).toEqual([])
})

test('an API key cannot delete the account', async () => {
  const person = await full.coffer.person()
  const body = { currentPassword: person.password }
  expect((await person.call('DELETE', '/users/me', { body })).status).toBe(401)
})

test('the address can be registered again after the deletion', async () => {
  const person = await full.coffer.person()
  await deletes(person)
  await eventually(
    () => rowsOf(full.coffer.booted.databaseUrl, person),
    (rows) => rows['identity.logins'] === undefined,
    60_000,
  )
  const { email, password, accountId } = person
  const registration = { body: { email, password, firstName: 'Pat' } }
  const again = await call(full.coffer.baseUrl, 'POST', '/authentication/register', registration)
  expect([again.status, again.body.user.accountId !== accountId]).toEqual([200, true])
})
