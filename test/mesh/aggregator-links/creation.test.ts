import { started } from '@coffer/host/testing/started'
import { newId } from '@coffer/kit/values/id'
import { InstitutionService } from '@coffer/proto/aggregatorsync/v1/institution'
import { beforeEach, describe, expect, test } from '@jest/globals'
import { sql } from 'slonik'
import { z } from 'zod'
import { plaidFaults } from '../../providers/plaid/faults.ts'
import { createInstitution } from '../../providers/plaid/institutions.ts'
import {
  chosenOf,
  linkUser,
  minuteMs,
  refusalOf,
  startLinkWorld,
  type WorldUser,
  withoutWorkflows,
} from './world.ts'

let user: WorldUser

const world = started(() =>
  startLinkWorld({ COFFER_AGGREGATOR_LINKS_MAX: '3' }, withoutWorkflows().definition),
)

beforeEach(() => {
  user = world.user()
})

const newToken = (useCache = false, more: Partial<typeof linkUser> = {}) =>
  world.links.createLinkToken({ useCache, user: { ...linkUser, ...more } }, user.as)

const callsOf = (path: string) => world.plaid.calls.filter((call) => call.path === path)

describe('a link token', () => {
  test('is for the user, 730 days of transactions, and no webhook', async () => {
    const { linkToken } = await newToken()
    expect(linkToken).toMatch(/^link-sandbox-/)
    expect(callsOf('/link/token/create').at(-1)?.request).toEqual({
      client_name: 'Coffer',
      language: 'en',
      country_codes: ['US'],
      user: {
        client_user_id: user.userId,
        legal_name: 'Ada King',
        email_address: 'ada@example.com',
        email_address_verified_time: null,
      },
      products: ['transactions'],
      transactions: { days_requested: 730 },
    })
  })

  test('is returned again only on request, to the same user, until it is used', async () => {
    const first = await newToken()
    expect(await newToken(true)).toEqual(first)
    const others = await world.links.createLinkToken(
      { useCache: true, user: linkUser },
      world.booted.as(user.accountId, { userId: newId('user') }),
    )
    expect(others).not.toEqual(first)
    const second = await newToken()
    expect(second).not.toEqual(first)
    expect(await newToken(true)).toEqual(second)
    expect(await refusalOf(user.link({ publicToken: ' ' }))).toMatch(/must provide a public token/)
    expect(await newToken(true)).not.toEqual(second)
  })

  test('is refused with the fault of the aggregator', async () => {
    world.plaid.fault(/link\/token/, plaidFaults.code('INTERNAL_SERVER_ERROR'), 1)
    const refusal = await refusalOf(newToken())
    expect(refusal).toBe(
      'failed to create link token: the aggregator answered with INTERNAL_SERVER_ERROR',
    )
  })
})

describe('the callback', () => {
  test('creates the link with the chosen accounts, and requests a sync', async () => {
    const { linkToken } = await newToken()
    const { publicToken, item } = world.plaid.completeLink(linkToken)
    const [first] = chosenOf(item).providerAccountIds
    const request = { publicToken, ...chosenOf(item), providerAccountIds: [first ?? ''] }
    const { linkId } = await world.links.createAggregatorLink(request, user.as)
    expect(await user.inLedger()).toEqual([
      { name: 'First Platypus Bank', linkType: 'aggregator', accounts: ['Plaid Checking'] },
    ])
    const { aggregatorLinks } = await world.links.listAggregatorLinks(
      { linkIds: [linkId, newId('link')] },
      user.as,
    )
    expect(aggregatorLinks).toMatchObject([
      {
        linkId,
        status: 'pending',
        products: ['transactions'],
        institutionId: 'ins_109508',
        institutionName: 'First Platypus Bank',
        newAccountsAvailable: false,
        createdBy: user.userId,
      },
    ])
    expect(await world.booted.changes('aggregator-sync', user.accountId)).toEqual([
      'coffer.aggregatorsync.v1.AggregatorLinkSettingUp',
      'coffer.aggregatorsync.v1.AggregatorSyncRequested',
    ])
    const stranger = world.user()
    expect(await world.links.listAggregatorLinks({ linkIds: [linkId] }, stranger.as)).toMatchObject(
      { aggregatorLinks: [] },
    )
  })

  test('takes the institution of the item if none is sent', async () => {
    await user.link({ institutionId: '', institutionName: '' })
    expect(await user.rows()).toMatchObject([
      { institutionId: 'ins_109508', institutionName: 'First Platypus Bank', chosenAccounts: [] },
    ])
  })

  test.each([
    ['a blank public token', { publicToken: ' ' }, /^must provide a public token/],
    ['no accounts', { providerAccountIds: [] }, /^must select at least one account/],
    ['an ID of 201 characters', { providerAccountIds: ['a'.repeat(201)] }, /1 to 200 char/],
  ])('is refused for %s, and stores nothing', async (_, more, text) => {
    expect(await refusalOf(user.link(more))).toMatch(text)
    expect(await user.rows()).toEqual([])
  })

  test('is refused for an unknown public token, and leaves no link', async () => {
    const refusal = await refusalOf(user.link({ publicToken: 'public-sandbox-unknown' }))
    expect(refusal).toBe(
      'failed to exchange token: the aggregator refused the call: INVALID_PUBLIC_TOKEN',
    )
    expect(await user.rows()).toMatchObject([{ status: 'deactivated', itemId: null }])
    expect((await user.rows())[0]?.releasedAt).not.toBeNull()
    expect(await user.tokens()).toEqual([])
  })

  test('is refused for an account that the item does not have, and removes the item', async () => {
    const { linkToken } = await newToken()
    const { publicToken, item } = world.plaid.completeLink(linkToken)
    const wrong = { publicToken, ...chosenOf(item), providerAccountIds: ['unknown'] }
    const refusal = await refusalOf(world.links.createAggregatorLink(wrong, user.as))
    expect(refusal).toMatch(/^failed to read the accounts/)
    const [row] = await user.rows()
    expect(row).toMatchObject({ status: 'deactivated', releasedAt: null })
    await world.finish({ accountId: user.accountId, linkId: row?.linkId ?? '' })
    expect(item.isRemoved).toBe(true)
    expect(await user.inLedger()).toEqual([])
    expect(await user.tokens()).toEqual([])
  })

  test('repeated with the same key answers the same link, without the aggregator', async () => {
    const { linkToken } = await newToken()
    const { publicToken, item } = world.plaid.completeLink(linkToken)
    const request = { publicToken, ...chosenOf(item) }
    const keyed = { ...user.as, headers: { 'coffer-idempotency-key': newId('op') } }
    const first = await world.links.createAggregatorLink(request, keyed)
    expect(await world.links.createAggregatorLink(request, keyed)).toEqual(first)
    expect(await user.rows()).toHaveLength(1)
  })

  test('for an item of the account is its link; that of another account is refused', async () => {
    const { linkId, item } = await user.link()
    const again = { publicToken: world.plaid.createPublicToken(item), ...chosenOf(item) }
    expect(await world.links.createAggregatorLink(again, user.as)).toMatchObject({ linkId })
    const stranger = world.user()
    const stolen = { ...again, publicToken: world.plaid.createPublicToken(item) }
    const refusal = await refusalOf(world.links.createAggregatorLink(stolen, stranger.as))
    expect(refusal).toBe('failed to exchange token: the item belongs to another link')
    expect(item.isRemoved).toBe(false)
    expect(await stranger.inLedger()).toEqual([])
    expect(await user.inLedger()).toHaveLength(1)
  })
})

describe('the maximum of links', () => {
  test('holds for ten callbacks at once', async () => {
    const results = await Promise.allSettled(Array.from({ length: 10 }, () => user.link()))
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(3)
    expect(await user.inLedger()).toHaveLength(3)
    expect(await refusalOf(newToken())).toMatch(/^max number of Plaid links already reached/)
  })

  test('is one in a trial', async () => {
    await user.link({ isTrialing: true })
    const text = /^an account in its trial has at most one Plaid link/
    expect(await refusalOf(newToken(false, { isTrialing: true }))).toMatch(text)
    expect(await refusalOf(user.link({ isTrialing: true }))).toMatch(text)
    await user.link()
  })
})

describe('an institution', () => {
  const read = (institutionId: string) =>
    world.booted
      .client('aggregator-sync', InstitutionService)
      .getInstitution({ institutionId }, user.as)

  test('is read once in 30 minutes', async () => {
    world.plaid.institutions.set('ins_7', createInstitution('ins_7', { name: 'Seven' }))
    const { institution } = await read('ins_7')
    expect(institution).toMatchObject({
      name: 'Seven',
      countryCodes: ['US'],
      url: 'https://bank.example',
    })
    expect(JSON.parse(institution?.statusJson ?? '')).toHaveProperty('item_logins.status')
    world.plaid.institutions.set('ins_7', createInstitution('ins_7', { name: 'Changed' }))
    expect((await read('ins_7')).institution?.name).toBe('Seven')
    await world.booted.database('aggregator-sync').pool.query(sql.unsafe`
      UPDATE institutions SET fetched_at = fetched_at - interval '30 minutes'`)
    expect((await read('ins_7')).institution?.name).toBe('Changed')
  })

  test('that is unknown is asked for once a minute', async () => {
    const asked = () => callsOf('/institutions/get_by_id').length
    const before = asked()
    for (let count = 0; count < 3; count += 1) {
      expect(await refusalOf(read('ins_424242'))).toBe('institution: record does not exist')
    }
    expect(asked() - before).toBe(1)
    world.booted.clock.now = new Date(Date.now() + minuteMs)
    await refusalOf(read('ins_424242'))
    world.booted.clock.now = null
    expect(asked() - before).toBe(2)
  })

  test.each([
    ['ins_404', 'institution: record does not exist'],
    ['ins_', 'Invalid request'],
    ['ins_1%20', 'Invalid request'],
  ])('%s is refused', async (institutionId, text) => {
    expect(await refusalOf(read(institutionId))).toBe(text)
  })

  test('is refused while the aggregator fails, even with an old answer', async () => {
    world.plaid.institutions.set('ins_8', createInstitution('ins_8'))
    await read('ins_8')
    await world.booted.database('aggregator-sync').pool.query(sql.unsafe`
      UPDATE institutions SET fetched_at = fetched_at - interval '30 minutes'`)
    world.plaid.fault(/institutions/, plaidFaults.code('PLANNED_MAINTENANCE'), 1)
    expect(await refusalOf(read('ins_8'))).toMatch(/^failed to read the institution/)
  })
})

test('a server without the aggregator refuses tokens, links and institutions', async () => {
  await using off = await startLinkWorld({ COFFER_AGGREGATOR_ENABLED: 'false' })
  const text = 'the aggregator is not enabled on this server'
  const { as } = off.user()
  const create = { publicToken: 'p', providerAccountIds: ['a'] }
  expect(await refusalOf(off.links.createLinkToken({ user: linkUser }, as))).toBe(text)
  expect(await refusalOf(off.links.createAggregatorLink(create, as))).toBe(text)
  const institutions = off.booted.client('aggregator-sync', InstitutionService)
  expect(await refusalOf(institutions.getInstitution({ institutionId: 'ins_1' }, as))).toBe(text)
  expect(off.plaid.calls).toEqual([])
})

test('with webhooks, links and tokens name the address, and the first sync waits', async () => {
  await using on = await startLinkWorld({
    COFFER_AGGREGATOR_WEBHOOKS_ENABLED: 'true',
    COFFER_AGGREGATOR_WEBHOOKS_DOMAIN: 'coffer.example',
  })
  const webhookUrl = 'https://coffer.example/api/aggregator/webhook'
  const one = on.user()
  const { item } = await one.link()
  expect(item.webhook).toBe(webhookUrl)
  expect(await one.rows()).toMatchObject([{ webhookUrl }])
  const due = await on.booted
    .database('aggregator-sync')
    .pool.oneFirst(sql.type(
      z.object({ waitMs: z.number() }),
    )`SELECT extract(epoch FROM next_sync_at - updated_at)::float8 * 1000 AS "waitMs"
    FROM aggregator_links`)
  expect(due).toBe(10 * minuteMs)
})
