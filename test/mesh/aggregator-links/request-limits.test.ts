import { started } from '@coffer/host/testing/started'
import { refusalOf as detailsOf } from '@coffer/kit/rpc/errors'
import { newId } from '@coffer/kit/values/id'
import { InstitutionService } from '@coffer/proto/aggregatorsync/v1/institution'
import { ConnectError } from '@connectrpc/connect'
import { beforeEach, expect, test } from '@jest/globals'
import { sql } from 'slonik'
import {
  linkUser,
  minuteMs,
  refusalOf,
  startLinkWorld,
  type WorldUser,
  withoutWorkflows,
} from './world.ts'

let user: WorldUser
const now = new Date(Math.floor(Date.now() / minuteMs) * minuteMs + minuteMs / 2)

const world = started(() => startLinkWorld({}, withoutWorkflows().definition))

beforeEach(() => {
  world.booted.clock.now = now
  user = world.user()
})

const newToken = (of = user) => world.links.createLinkToken({ user: linkUser }, of.as)
const unknown = { publicToken: 'public-sandbox-unknown', providerAccountIds: ['a'] }
const callsOf = (path: string) => world.plaid.calls.filter((call) => call.path === path).length

/** Makes a call 429 after `count` times; returns the text of the refusal. */
async function exhaust(count: number, call: () => Promise<unknown>): Promise<string> {
  for (let times = 0; times < count; times += 1) {
    expect(await call().catch(statusOf)).not.toBe(429)
  }
  expect(await call().catch(statusOf)).toBe(429)
  return refusalOf(call())
}

function statusOf(error: unknown): number {
  return detailsOf(ConnectError.from(error))?.status ?? 0
}

test('an account has 30 link tokens in a minute; another account has its own', async () => {
  const { linkId } = await user.link()
  const before = callsOf('/link/token/create')
  expect(await exhaust(29, () => newToken())).toBe(
    'the account has at most 30 link tokens in a minute: repeat after Retry-After',
  )
  expect(await refusalOf(world.links.createUpdateToken({ linkId }, user.as))).toMatch(/30 link tok/)
  expect(callsOf('/link/token/create') - before).toBe(29)
  const error = ConnectError.from(await newToken().catch((refused) => refused))
  expect(detailsOf(error)?.retryAfterSeconds).toBe(30)
  await newToken(world.user())
  world.booted.clock.now = new Date(now.getTime() + minuteMs / 2)
  await newToken()
})

test('the limit of a day is 300 link tokens', async () => {
  await newToken()
  await world.booted.database('aggregator-sync').pool.query(sql.unsafe`
    UPDATE account_requests SET day_count = 300 WHERE account_id = ${user.accountId}`)
  const text = 'the account has at most 300 link tokens in a day: repeat after Retry-After'
  expect(await refusalOf(newToken())).toBe(text)
})

test('refused callbacks store at most 20 links in a minute, and call no more', async () => {
  const { linkId } = await user.link()
  const before = callsOf('/item/public_token/exchange')
  expect(await exhaust(19, () => world.links.createAggregatorLink(unknown, user.as))).toBe(
    'the account has at most 20 callbacks in a minute: repeat after Retry-After',
  )
  const update = world.links.updateAggregatorLink({ linkId, ...unknown }, user.as)
  expect(await refusalOf(update)).toMatch(/20 callbacks/)
  expect(await user.rows()).toHaveLength(20)
  expect(callsOf('/item/public_token/exchange') - before).toBe(19)
})

test('unknown institutions cause at most 60 calls in a minute', async () => {
  const institutions = world.booted.client('aggregator-sync', InstitutionService)
  let last = 1_000
  const read = () => {
    last += 1
    return institutions.getInstitution({ institutionId: `ins_${last}` }, user.as)
  }
  expect(await exhaust(60, read)).toMatch(/60 institutions in a minute/)
  expect(callsOf('/institutions/get_by_id')).toBe(60)
})

test('an account that is being deleted calls nothing more', async () => {
  const accountId = newId('acct')
  await world.booted.database('aggregator-sync').pool.query(sql.unsafe`
    INSERT INTO deleted_accounts (account_id) VALUES (${accountId})`)
  const as = world.booted.as(accountId, { userId: newId('user') })
  const refusal = await refusalOf(world.links.createLinkToken({ user: linkUser }, as))
  expect(refusal).toBe('account: record does not exist')
})
