import { eventually } from '@coffer/host/testing/boot'
import { newId } from '@coffer/kit/values/id'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import pg from 'pg'
import { syncLink } from '../src/commands/sync.ts'
import { deployment } from '../testing/deployment.ts'
import { runHere } from '../testing/run-here.ts'

let place: Awaited<ReturnType<typeof deployment>>
let database: pg.Client

beforeAll(async () => {
  place = await deployment()
  database = new pg.Client({ connectionString: place.databaseUrl })
  await database.connect()
})

afterAll(async () => {
  await database.end()
  await place[Symbol.asyncDispose]()
})

/** Creates a feed connection that a link uses; returns the ID of the link. */
async function createLink(status = 'active'): Promise<string> {
  const linkId = newId('link')
  await database.query(
    `INSERT INTO feed_sync.feed_links (account_id, feed_link_id, link_id, name, api_url, status,
       created_at, created_by, updated_at, deleted_at)
     VALUES ($1, $2, $3, 'Home', 'https://feed.example', $4, now(), 'user_1', now(), $5)`,
    [newId('acct'), newId('lfx'), linkId, status, status === 'deactivated' ? new Date() : null],
  )
  return linkId
}

/** Ends the sync of a link as a server would, once it is requested. */
async function endWith(
  linkId: string,
  assignments: string,
  table = 'feed_sync.feed_links',
): Promise<void> {
  const read = () =>
    database.query(`SELECT requested_at FROM ${table} WHERE link_id = $1`, [linkId])
  await eventually(read, ({ rows }) => rows[0].requested_at !== null)
  await database.query(
    `UPDATE ${table} SET requested_at = NULL, ${assignments} WHERE link_id = $1`,
    [linkId],
  )
}

test('a sync is requested with its change, and not awaited with --no-wait', async () => {
  const linkId = await createLink()
  const { code, stdout } = await runHere(['sync', linkId, '--no-wait'], place.env)
  expect([code, stdout]).toEqual([0, 'requested: a running server starts the sync\n'])
  const { rows } = await database.query(
    `SELECT requested_at IS NOT NULL AS requested, last_manual_sync FROM feed_sync.feed_links
     WHERE link_id = $1`,
    [linkId],
  )
  expect(rows).toEqual([{ requested: true, last_manual_sync: null }])
})

test('the counts of a successful sync are printed', async () => {
  const linkId = await createLink()
  const ended = endWith(
    linkId,
    `last_successful_update = now() + interval '1 s', added_count = 3, matched_count = 1`,
  )
  const { code, stdout } = await runHere(['sync', linkId], place.env)
  await ended
  expect([code, stdout]).toEqual([0, 'added 3, changed 0, matched 1, removed 0, skipped 0\n'])
})

test.each([
  [
    `fault_code = 'no-answer', fault_detail = '', fault_at = now() + interval '1 s'`,
    'the feed provider did not answer\n' +
      'Check that it runs and that its URL is right. Syncs are repeated.\n',
  ],
  [`status = 'active'`, 'Nothing was synced: the link was deleted.\n'],
])('a sync that ends with %s exits with 1', async (assignments, text) => {
  const linkId = await createLink()
  const ended = endWith(linkId, assignments)
  const { code, stdout, stderr } = await runHere(['sync', linkId], place.env)
  await ended
  expect([code, stdout, stderr]).toEqual([1, '', text])
})

/** Adds bank accounts to a link, with codes of the faults that they met a second later. */
async function addFaulty(linkId: string, codes: readonly (string | null)[]): Promise<string[]> {
  const ids = codes.map(() => newId('bac'))
  for (const [index, code] of codes.entries()) {
    await database.query(
      `INSERT INTO feed_sync.feed_bank_accounts (account_id, feed_bank_account_id, feed_link_id,
         feed_id, feed_status, name, institution_name, provider, currency, status, current_balance,
         created_at, created_by, updated_at, bank_account_id, fault_code, fault_detail, fault_at)
       SELECT account_id, $2, feed_link_id, $2, 'ACTIVE', 'Account ' || $3, 'Bank', 'mx', 'USD',
         'active', 0, now(), 'user_1', now(), $4, $5, '', now() + interval '1 min'
       FROM feed_sync.feed_links WHERE link_id = $1`,
      [linkId, newId('lbac'), `${index + 1}`, ids[index], code],
    )
  }
  return ids
}

const missing = [
  ': the feed provider does not list the bank account any more',
  'If the provider lists it under a new ID, send that candidate of GET ' +
    '/api/feed/link/:feedLinkId/bank_accounts as feedBankAccountId in a PATCH of the bank ' +
    'account. Otherwise renew the connection at the provider, or archive the bank account. ' +
    'Syncs are repeated.',
].join('\n')

test('bank accounts that were not synced are named, and the exit code is 1', async () => {
  const linkId = await createLink()
  const ids = await addFaulty(linkId, ['account-missing', null])
  const ended = endWith(
    linkId,
    `last_successful_update = now() + interval '1 s', added_count = 3,
     fault_code = 'account-missing', fault_detail = '', fault_at = now() + interval '1 min'`,
  )
  const { code, stdout, stderr } = await runHere(['sync', linkId], place.env)
  await ended
  expect([code, stdout]).toEqual([1, 'added 3, changed 0, matched 0, removed 0, skipped 0\n'])
  expect(stderr).toBe(`Account 1 (${ids[0]})${missing}\n`)
})

test('a sync of no bank account prints no counts', async () => {
  const linkId = await createLink()
  const ids = await addFaulty(linkId, ['account-missing', 'account-missing'])
  const ended = endWith(
    linkId,
    `fault_code = 'account-missing', fault_detail = '', fault_at = now() + interval '1 min'`,
  )
  const { code, stdout, stderr } = await runHere(['sync', linkId], place.env)
  await ended
  expect([code, stdout]).toEqual([1, ''])
  expect(stderr).toBe(ids.map((id, at) => `Account ${at + 1} (${id})${missing}\n`).join(''))
})

/** Creates a link over the aggregator, which no server syncs; returns its ID. */
async function createAggregatorLink(status = 'setup'): Promise<string> {
  const linkId = newId('link')
  await database.query(
    `INSERT INTO aggregator_sync.aggregator_links (account_id, link_id, item_id, status,
       institution_name, products, chosen_accounts, created_at, created_by, updated_at)
     VALUES ($1, $2, $2, $3, 'First Bank', '{transactions}', '{}', now(), 'user_1', now())`,
    [newId('acct'), linkId, status],
  )
  return linkId
}

test.each([
  ["last_successful_update = now() + interval '1 s', added_count = 2", 0, /^added 2, changed 0,/],
  [
    `fault_code = 'login-required', fault_detail = 'ITEM_LOGIN_REQUIRED',
     fault_at = now() + interval '1 s'`,
    1,
    /^the institution asks its user to act: ITEM_LOGIN_REQUIRED\nUpdate the connection of the li/,
  ],
])('a link over the aggregator is synced too: %s', async (assignments, code, text) => {
  const linkId = await createAggregatorLink()
  const ended = endWith(linkId, assignments, 'aggregator_sync.aggregator_links')
  const outcome = await runHere(['sync', linkId], place.env)
  await ended
  expect(outcome.code).toBe(code)
  expect(outcome.stdout + outcome.stderr).toMatch(text)
})

test('links that cannot be synced, and a sync without a server, are one line', async () => {
  const unknown = await runHere(['sync', 'link_1'], place.env)
  expect([unknown.code, unknown.stderr]).toEqual([1, 'No link that syncs has the ID link_1.\n'])
  const deactivated = await runHere(['sync', await createLink('deactivated')], place.env)
  expect([deactivated.code, deactivated.stderr]).toEqual([
    1,
    'the feed link is deactivated: create a new connection.\n',
  ])
  const creating = await runHere(['sync', await createAggregatorLink('creating')], place.env)
  const text = 'the link is deactivated or being created.\n'
  expect([creating.code, creating.stderr]).toEqual([1, text])
  const options = { linkId: await createLink(), wait: true, limitMs: 0 }
  await expect(syncLink(options, place.env)).rejects.toThrow(
    'The sync has not ended after 0 s. Check that a server runs, and that its settings have ' +
      'COFFER_FEED_ENABLED=true, or COFFER_AGGREGATOR_ENABLED=true for a link of Plaid.',
  )
})
