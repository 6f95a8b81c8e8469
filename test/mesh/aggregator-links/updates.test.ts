import { started } from '@coffer/host/testing/started'
import { newId } from '@coffer/kit/values/id'
import { beforeEach, expect, test } from '@jest/globals'
import { sql } from 'slonik'
import { z } from 'zod'
import { plaidFaults } from '../../providers/plaid/faults.ts'
import type { PlaidItem } from '../../providers/plaid/item.ts'
import { chosenOf, refusalOf, startLinkWorld, type WorldUser, withoutWorkflows } from './world.ts'

let user: WorldUser
let linkId: string
let item: PlaidItem

const world = started(() => startLinkWorld({}, withoutWorkflows().definition))

beforeEach(async () => {
  user = world.user()
  ;({ linkId, item } = await user.link())
})

const newToken = (selectsAccounts = false) =>
  world.links.createUpdateToken({ linkId, selectsAccounts }, user.as)

/** Completes Plaid Link in update mode, and calls the callback. */
async function update({ renews = false, ids = chosenOf(item).providerAccountIds } = {}) {
  const { linkToken } = await newToken()
  const { publicToken } = world.plaid.completeLink(linkToken, { renews })
  const request = { linkId, publicToken, providerAccountIds: ids }
  return world.links.updateAggregatorLink(request, user.as)
}

/** Breaks a link as a sync that needs the user does. */
async function breakLink(): Promise<void> {
  await world.booted.database('aggregator-sync').pool.query(sql.unsafe`
    UPDATE aggregator_links SET status = 'error', error_code = 'ITEM_LOGIN_REQUIRED',
      new_accounts_available = true, expiration_date = now(), requested_at = NULL
    WHERE link_id = ${linkId}`)
}

const Syncs = z.object({ isRequested: z.boolean(), isWhole: z.boolean() })

function syncs() {
  return world.booted.database('aggregator-sync').pool.one(sql.type(Syncs)`
    SELECT coalesce(requested_at, last_attempted_update) IS NOT NULL AS "isRequested",
      whole_requested_at IS NOT NULL OR whole_loop_started_at IS NOT NULL AS "isWhole"
    FROM aggregator_links WHERE link_id = ${linkId}`)
}

test('the token is for the item, without products, with the ID of the account', async () => {
  expect((await newToken(true)).linkToken).toMatch(/^link-sandbox-/)
  const { request } =
    world.plaid.calls.filter(({ path }) => path === '/link/token/create').at(-1) ?? {}
  expect(request).toEqual({
    client_name: 'Coffer',
    language: 'en',
    country_codes: ['US'],
    user: { client_user_id: user.accountId },
    access_token: item.accessToken,
    update: { account_selection_enabled: true },
  })
})

test('an update stores the new token, and the link works again', async () => {
  await breakLink()
  const { aggregatorLink } = await update({ renews: true })
  expect(aggregatorLink).toMatchObject({ linkId, status: 'setup', newAccountsAvailable: false })
  expect(aggregatorLink?.errorCode).toBeUndefined()
  expect(aggregatorLink?.expirationDate).toBeUndefined()
  expect(await syncs()).toEqual({ isRequested: true, isWhole: false })
  await newToken()
  const last = world.plaid.calls.filter(({ path }) => path === '/link/token/create').at(-1)
  expect(last).toMatchObject({ status: 200, request: { access_token: item.accessToken } })
})

test('an update creates chosen accounts that are unknown, and leaves the others', async () => {
  const added = item.addAccount({ name: 'Plaid CD', mask: '2222', subtype: 'cd' })
  await update({ ids: [added] })
  const accounts = ['Plaid CD', 'Plaid Checking', 'Plaid Saving']
  expect(await user.inLedger()).toMatchObject([{ accounts }])
  expect(await syncs()).toMatchObject({ isWhole: true })
  expect(await user.rows()).toMatchObject([{ chosenAccounts: [] }])
})

test('an account that gets another ID by the update stays the same bank account', async () => {
  const [checking] = chosenOf(item).providerAccountIds
  item.renewAccount(checking ?? '', 'new')
  await update({ renews: true })
  expect(await user.inLedger()).toMatchObject([{ accounts: ['Plaid Checking', 'Plaid Saving'] }])
})

test('new accounts are created later if the aggregator does not answer', async () => {
  const added = item.addAccount({ name: 'Plaid CD', mask: '2222', subtype: 'cd' })
  item.fault(/accounts/, plaidFaults.code('INTERNAL_SERVER_ERROR'), 1)
  await update({ ids: [added] })
  expect(await user.rows()).toMatchObject([{ chosenAccounts: [added], status: 'setup' }])
  await world.finish({ accountId: user.accountId, linkId })
  expect((await user.inLedger())[0]?.accounts).toContain('Plaid CD')
  expect(await user.rows()).toMatchObject([{ chosenAccounts: [] }])
})

test('an account that the item does not have is dropped from the choice', async () => {
  expect(await refusalOf(update({ ids: ['unknown'] }))).toMatch(/^failed to read the accounts/)
  expect(await user.rows()).toMatchObject([{ chosenAccounts: [] }])
})

test('the public token of another item is refused; its item is removed', async () => {
  await breakLink()
  const { callback, item: other } = await user.choose()
  const request = { linkId, ...callback }
  const refusal = await refusalOf(world.links.updateAggregatorLink(request, user.as))
  expect(refusal).toMatch(/^the public token is of another link/)
  const [own, tentative] = await user.rows()
  expect(own).toMatchObject({ status: 'error', itemId: item.itemId })
  expect(tentative).toMatchObject({ status: 'deactivated', itemId: other.itemId })
  await world.finish({ accountId: user.accountId, linkId: tentative?.linkId ?? '' })
  expect([item.isRemoved, other.isRemoved]).toEqual([false, true])
  expect(await user.tokens()).toEqual(['access'])
})

test('the public token of an item with a link is refused, and removes nothing', async () => {
  const { linkId: otherId, item: other } = await user.link()
  const publicToken = world.plaid.createPublicToken(other)
  const request = { linkId, publicToken, providerAccountIds: chosenOf(other).providerAccountIds }
  const refusal = await refusalOf(world.links.updateAggregatorLink(request, user.as))
  expect(refusal).toMatch(/^the public token is of another link/)
  for (const row of await user.rows()) await world.finish(row)
  expect([item.isRemoved, other.isRemoved]).toEqual([false, false])
  expect((await user.rows()).filter(({ deletedAt }) => !deletedAt)).toMatchObject([
    { linkId },
    { linkId: otherId },
  ])
})

test.each([
  ['another account', () => ({ linkId, as: world.user().as })],
  ['an unknown link', () => ({ linkId: newId('link'), as: user.as })],
])('%s has no token and no update', async (_, of) => {
  const { linkId: id, as } = of()
  const text = 'aggregator link: record does not exist'
  const token = world.links.createUpdateToken({ linkId: id }, as)
  expect(await refusalOf(token)).toBe(text)
  const request = { linkId: id, publicToken: 'p', providerAccountIds: ['a'] }
  expect(await refusalOf(world.links.updateAggregatorLink(request, as))).toBe(text)
})

test('a deleted link has no token; a blank public token is refused', async () => {
  const request = { linkId, publicToken: ' ', providerAccountIds: ['a'] }
  const refusal = await refusalOf(world.links.updateAggregatorLink(request, user.as))
  expect(refusal).toMatch(/^must provide a public token/)
  await world.end({ accountId: user.accountId, linkId })
  expect(await refusalOf(newToken())).toBe('aggregator link: record does not exist')
})
