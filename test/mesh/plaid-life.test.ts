import { started } from '@coffer/host/testing/started'
import { newId } from '@coffer/kit/values/id'
import { dayMs, hourMs } from '@coffer/kit/values/time'
import { expect, test } from '@jest/globals'
import { sql } from 'slonik'
import { z } from 'zod'
import { daysAgo } from './feed-world.ts'
import { linkItem, type PlaidHome, startPlaidWorld } from './plaid-world.ts'

const world = started(() => startPlaidWorld())

const pool = () => world.coffer.booted.database('aggregator-sync').pool
const fromNow = (ms: number) => new Date(Date.now() + ms)

/** Runs the daily check to its end. */
async function check(): Promise<void> {
  const { activities } = world.coffer.booted.host.services['aggregator-sync'] ?? {}
  await activities?.warnOfConsents?.([])
  await activities?.endLapsedLinks?.([])
}

/** Links an item whose first sync has ended, and whose consent ends then. */
async function consenting(end: Date): Promise<PlaidHome> {
  const home = await linkItem(world)
  home.item.consentExpiresAt = end
  await home.sync()
  return home
}

/** Stores that the subscription of the account ended then. */
async function lapse({ person }: PlaidHome, until: Date): Promise<void> {
  await pool().query(sql.unsafe`
    INSERT INTO account_settings (account_id, subscription_active_until, version)
    VALUES (${person.accountId}, ${until.toISOString()}, 1000)
    ON CONFLICT (account_id) DO UPDATE SET version = excluded.version,
      subscription_active_until = excluded.subscription_active_until`)
}

async function noticesOf({ person }: PlaidHome): Promise<number> {
  const types = await world.coffer.booted.changes('aggregator-sync', person.accountId)
  return types.filter((type) => type.endsWith('.AggregatorLinkNeedsUser')).length
}

test('a consent that ends within a week is announced once, without a webhook', async () => {
  const end = fromNow(7 * dayMs - hourMs)
  const [near, far] = [await consenting(end), await consenting(fromNow(7 * dayMs + hourMs))]
  await check()
  await check()
  expect(await near.state()).toMatchObject({ status: 'pending_expiration', expirationDate: end })
  expect(await noticesOf(near)).toBe(1)
  // A sync states the same end; a later one ends the wait.
  await near.sync()
  await check()
  expect(await near.state()).toMatchObject({ status: 'pending_expiration' })
  expect(await noticesOf(near)).toBe(1)
  near.item.consentExpiresAt = fromNow(180 * dayMs)
  await near.sync()
  expect(await near.state()).toMatchObject({ status: 'setup' })
  expect(await far.state()).toMatchObject({ status: 'setup' })
  expect(await noticesOf(far)).toBe(0)
})

test('a consent is not announced of a lapsed account, or when it is over', async () => {
  const lapsed = await consenting(fromNow(dayMs))
  await lapse(lapsed, fromNow(-dayMs))
  const over = await consenting(fromNow(-dayMs))
  await check()
  for (const home of [lapsed, over]) {
    expect(await home.state()).toMatchObject({ status: 'setup' })
    expect(await noticesOf(home)).toBe(0)
  }
})

test('links of an account that lapsed over 90 days ago become manual ones', async () => {
  const home = await linkItem(world)
  const { bank, item, list, person, linkId, paths } = home
  bank.post({ date: daysAgo(2), amount: '12.34', name: 'Bakery' })
  await home.sync()
  const other = await linkItem(world)
  await lapse(home, fromNow(-90 * dayMs - hourMs))
  await lapse(other, fromNow(-90 * dayMs + hourMs))
  await check()
  const ended = await home.until(({ releasedAt }) => releasedAt !== null)
  expect(ended).toMatchObject({ status: 'deactivated', nextSyncAt: null })
  expect(ended.deletedAt).not.toBeNull()
  expect(item.isRemoved).toBe(true)
  const link = await person.get(`/links/${linkId}`)
  expect(link).toMatchObject({ linkType: 'manual' })
  expect(link).not.toHaveProperty('aggregatorLink')
  expect(await person.get(`/links/${linkId}/health`)).toEqual({
    linkId,
    linkType: 'manual',
    status: 'none',
    isSyncing: false,
    lastAttempt: null,
    lastSuccess: null,
    nextAttempt: null,
    failuresInRow: 0,
    lastError: null,
    lastArrival: null,
    bankAccounts: [],
  })
  expect(await list()).toMatchObject([{ name: 'Bakery', amount: 1_234 }])
  const spent = { amount: 100, name: 'Tea', date: '2026-03-02T06:00:00Z' }
  await person.post(`${paths[0]}/transactions`, spent)
  expect(await list()).toHaveLength(2)
  expect(await other.state()).toMatchObject({ deletedAt: null })
  expect(other.item.isRemoved).toBe(false)
})

test('the daily check, with more links than a page, handles each', async () => {
  const accountId = newId('acct')
  await pool().query(sql.unsafe`
    INSERT INTO aggregator_links (account_id, link_id, status, item_id, institution_name, products,
      expiration_date, created_at, created_by, updated_at)
    SELECT ${accountId}, 'link_' || n, 'setup', ${accountId} || n, 'Bank', '{}',
      now() + interval '1 day', now(), 'user_1', now() FROM generate_series(1, 450) AS n`)
  const { workflows, prefix } = world.coffer.booted
  const id = newId('t')
  await workflows.start({ type: 'checkAggregatorLinks', id, args: [] })
  // To its end: it deletes old rows after the warnings, and the next test counts those.
  await workflows.client.workflow.getHandle(`${prefix}/workflows/${id}`).result()
  const Left = z.object({ count: z.int() })
  const left = await pool().oneFirst(sql.type(Left)`
    SELECT count(*)::int AS count FROM aggregator_links
    WHERE account_id = ${accountId} AND status = 'setup'`)
  expect(left).toBe(0)
})

test('rows that are of no use any more are deleted, others are not', async () => {
  const { activities } = world.coffer.booted.host.services['aggregator-sync'] ?? {}
  const accountId = newId('acct')
  await pool().query(sql.unsafe`
    INSERT INTO webhook_receipts (token_hash, received_at)
    SELECT sha256(n::text::bytea), now() - n * interval '1 minute' FROM generate_series(50, 400) n`)
  await pool().query(sql.unsafe`
    INSERT INTO institutions (institution_id, answer, fetched_at)
    SELECT 'ins_' || n, '{}', now() - n * interval '1 hour' FROM generate_series(20, 30) n`)
  await pool().query(sql.unsafe`
    INSERT INTO link_tokens (account_id, user_id, expires_at, key_id, data_key, ciphertext)
    SELECT ${accountId}, n, now() + n * interval '1 hour', '', '', ''
    FROM generate_series(-2, 2) n WHERE n <> 0`)
  expect(await activities?.deleteOldRows?.()).toBe(false)
  expect(await activities?.deleteOldRows?.()).toBe(true)
  const Counts = z.object({ receipts: z.int(), institutions: z.int(), tokens: z.int() })
  const counts = await pool().one(sql.type(Counts)`
    SELECT (SELECT count(*)::int FROM webhook_receipts) AS receipts,
      (SELECT count(*)::int FROM institutions) AS institutions,
      (SELECT count(*)::int FROM link_tokens) AS tokens`)
  expect(counts).toEqual({ receipts: 10, institutions: 4, tokens: 2 })
})
