import { started } from '@coffer/host/testing/started'
import { newId } from '@coffer/kit/values/id'
import { expect, test } from '@jest/globals'
import { type QuerySqlToken, sql } from 'slonik'
import { auditFeeds } from '../src/deliveries/audit.sql.ts'
import { sweepFeeds } from '../src/feed/feed-sweep.service.ts'
import { bootWebhooks } from './webhooks.ts'

const booted = started(() => bootWebhooks())

async function* pages<Row>(...rows: Row[]) {
  yield rows
}

/** Returns the rules that an account breaks. `told`: IDs of events that a service has told. */
async function brokenBy(accountId: string, told: string[] = []): Promise<string[]> {
  const events = told.map((eventId) => ({ accountId, eventId }))
  const findings = await auditFeeds(booted.database('notices'), pages(...events))
  const rules = findings.filter((one) => one.accountId === accountId).map(({ rule }) => rule)
  return [...new Set(rules)]
}

/** An account with changes, of which two are removed, and a webhook that has got them. */
async function usedAccount() {
  booted.receiver.respond((response) => response.writeHead(200).end())
  const account = await booted.account()
  const database = booted.database('notices')
  await account.append(newId('txn'), newId('txn'))
  await account.serve()
  await sweepFeeds({ database, config: { changesDays: 0 } })
  await account.append(newId('txn'), newId('txn'), newId('txn'))
  const [last = ''] = await account.append(newId('txn'), newId('txn'))
  await account.serve()
  await account.clients.webhooks.rotate()
  return { ...account, eventId: last.replace(/-\d+$/, '') }
}

const told = 'an event that a service has told is known'
const known = 'the event of a change is known'
const ended = 'a feed ends with its last change'
const behind = 'changes have a feed and lie behind the removed ones'
const single = 'each position has one change'
const once = 'a change is in one feed, once'
const own = 'an object has changes in one account'
const whole = 'a webhook has its progress and a secret'
const within = 'a webhook has come no further than its feed'
const webhook = 'a delivery is of a webhook of its account'
const change = 'a delivery is of a change of its account'

test('has no findings after changes, deliveries and removals', async () => {
  const { accountId, eventId, clients } = await usedAccount()
  expect(await brokenBy(accountId, [eventId])).toEqual([])
  expect(await brokenBy(accountId, [eventId, newId('chg')])).toEqual([told])
  await clients.webhooks.remove()
  expect(await brokenBy(accountId, [eventId])).toEqual([])
})

type Fault = (of: { accountId: string; eventId: string }) => QuerySqlToken

/** Gives a column of a delivery another value. */
function renamed(column: string): Fault {
  return ({ accountId }) => sql.unsafe`
    UPDATE webhook_deliveries SET ${sql.identifier([column])} = 'other'
    WHERE account_id = ${accountId} AND change_id LIKE '%-2'`
}

/** Statements that break rules, and the findings. */
const faults: [string[], Fault][] = [
  [
    [ended],
    ({ accountId }) => sql.unsafe`
    UPDATE feeds SET last_position = last_position + 1 WHERE account_id = ${accountId}`,
  ],
  [
    [ended, change],
    ({ eventId }) => sql.unsafe`
    DELETE FROM feed_events WHERE event_id = ${eventId}`,
  ],
  [
    [behind],
    ({ accountId }) => sql.unsafe`
    UPDATE feeds SET removed_position = last_position - 2 WHERE account_id = ${accountId}`,
  ],
  [
    [behind, within],
    ({ accountId }) => sql.unsafe`
    DELETE FROM feeds WHERE account_id = ${accountId}`,
  ],
  [
    [single, change],
    ({ accountId, eventId }) => sql.unsafe`
    UPDATE feed_events SET position = (
      SELECT last_position - 1 FROM feeds WHERE account_id = ${accountId})
    WHERE account_id = ${accountId} AND event_id <> ${eventId}`,
  ],
  [
    [single, change],
    ({ eventId }) => sql.unsafe`
    UPDATE feed_events SET objects = '[]' WHERE event_id = ${eventId}`,
  ],
  [
    [once],
    ({ eventId }) => sql.unsafe`
    INSERT INTO feed_events SELECT account_id, position - 9, event_id, first_index, at, actor,
      cause_id, objects FROM feed_events WHERE event_id = ${eventId}`,
  ],
  [
    [once, own],
    ({ eventId }) => sql.unsafe`
    INSERT INTO feed_events SELECT account_id || 'z', position, event_id, first_index, at, actor,
      cause_id, objects FROM feed_events WHERE event_id = ${eventId}`,
  ],
  [[known, told], ({ eventId }) => sql.unsafe`DELETE FROM inbox WHERE change_id = ${eventId}`],
  [
    [whole],
    ({ accountId }) => sql.unsafe`
    DELETE FROM webhook_secrets WHERE account_id = ${accountId} AND ends_at IS NULL`,
  ],
  [
    [whole],
    ({ accountId }) => sql.unsafe`
    DELETE FROM webhook_progress WHERE account_id = ${accountId}`,
  ],
  [
    [within],
    ({ accountId }) => sql.unsafe`
    UPDATE webhook_progress SET position = position + 1 WHERE account_id = ${accountId}`,
  ],
  [
    [webhook],
    ({ accountId }) => sql.unsafe`
    UPDATE webhook_deliveries SET webhook_id = 'other' WHERE account_id = ${accountId}`,
  ],
  [[change], renamed('change_id')],
  [[change], renamed('object_id')],
  [[change], renamed('type')],
]

test.each(faults)('finds that not: %j (case %#)', async (rules, fault) => {
  const { accountId, eventId } = await usedAccount()
  await booted.database('notices').pool.query(fault({ accountId, eventId }))
  expect(await brokenBy(accountId, [eventId])).toEqual(rules)
})
