import { holdTransaction } from '@coffer/host/testing/boot'
import { RequestBudgetService } from '@coffer/proto/identity/v1/request_budget'
import { expect, test } from '@jest/globals'
import { sql } from 'slonik'
import { anonymous, bootingIdentity } from './household.ts'

const booted = bootingIdentity()

interface Sent {
  accountId: string
  apiKeyId?: string
  cost?: number
}

const apiKeyQuota = 20
const accountQuota = 30

/** Spends the units of a request, by default one; returns both budgets. */
function spend(
  { accountId, apiKeyId = '', cost = 1 }: Sent,
  quotas = { apiKeyQuota, accountQuota },
) {
  const client = booted.client('identity', RequestBudgetService)
  const request = { accountId, apiKeyId, cost, ...quotas }
  return client.spendRequestBudget(request, anonymous(booted))
}

async function isAdmitted(sent: Sent) {
  const { apiKey, account } = await spend(sent)
  return (apiKey?.isSufficient ?? true) && account?.isSufficient
}

/** Ends the windows of an account in the table: they follow the clock of the database. */
async function endWindows(accountId: string) {
  const { pool } = booted.database('identity')
  await pool.query(sql.unsafe`
    UPDATE request_budgets SET ends_at = now() WHERE account_id = ${accountId}`)
}

test('concurrent requests do not pass the budget of their key', async () => {
  const sent = { accountId: 'acct_1', apiKeyId: 'key_1', cost: 3 }
  const all = await Promise.all(Array.from({ length: 15 }, () => isAdmitted(sent)))
  // Six creations of three units fit into twenty.
  expect(all.filter(Boolean)).toHaveLength(6)
  expect(await spend({ ...sent, cost: 2 })).toMatchObject({
    apiKey: { isSufficient: true, remaining: 0 },
    account: { isSufficient: true, remaining: 10 },
  })
})

test('a request beside the first one of a window does not pass the budget', async () => {
  const sent = { accountId: 'acct_8', apiKeyId: 'key_10', cost: 3 }
  const first = await holdTransaction(
    booted.database('identity'),
    sql.unsafe`
      INSERT INTO request_budgets (account_id, api_key_id, spent, ends_at)
      VALUES ('acct_8', 'key_10', 18, now() + interval '1 minute')`,
  )
  // Its statement begins before the row of the window is committed, and does not see it.
  const late = spend(sent)
  await first.untilAwaited()
  await first.release()
  expect(await late).toMatchObject({
    apiKey: { isSufficient: false, remaining: 0, resetSeconds: 60 },
    account: { isSufficient: true, remaining: 30 },
  })
})

test('a key beyond its budget spends no units of the account', async () => {
  const busy = { accountId: 'acct_2', apiKeyId: 'key_2' }
  const all = []
  for (let n = 0; n < 25; n += 1) all.push(await isAdmitted(busy))
  expect(all.filter(Boolean)).toHaveLength(20)
  const refused = await spend(busy)
  expect(refused).toMatchObject({
    apiKey: { isSufficient: false, remaining: 0 },
    account: { isSufficient: true, remaining: 10 },
  })
  const other = await spend({ accountId: 'acct_2', apiKeyId: 'key_3', cost: 3 })
  expect(other).toMatchObject({ apiKey: { remaining: 17 }, account: { remaining: 7 } })
})

test('all keys and sessions of an account share its budget', async () => {
  const accountId = 'acct_4'
  for (const apiKeyId of ['key_5', 'key_6']) {
    for (let n = 0; n < 15; n += 1) expect(await isAdmitted({ accountId, apiKeyId })).toBe(true)
  }
  const session = await spend({ accountId })
  expect(session).toMatchObject({ account: { isSufficient: false, remaining: 0 } })
  expect(session.apiKey).toBeUndefined()
  expect(await isAdmitted({ accountId, apiKeyId: 'key_7' })).toBe(false)
  expect(await isAdmitted({ accountId: 'acct_5', apiKeyId: 'key_5' })).toBe(true)
})

test('a window ends a minute after its first request, and the next one is whole', async () => {
  const sent = { accountId: 'acct_6', apiKeyId: 'key_8', cost: 20 }
  const first = await spend(sent)
  expect(first.apiKey).toMatchObject({ remaining: 0, resetSeconds: 60 })
  await endWindows('acct_6')
  expect((await spend({ ...sent, cost: 2 })).apiKey).toMatchObject({
    isSufficient: true,
    remaining: 18,
  })
})

test('a quota of 0 limits nothing and stores nothing', async () => {
  const sent = { accountId: 'acct_7', apiKeyId: 'key_9' }
  const noKeys = await spend(sent, { apiKeyQuota: 0, accountQuota })
  expect(noKeys.apiKey).toBeUndefined()
  expect(noKeys.account).toMatchObject({ remaining: 29 })
  const keysOnly = await spend(sent, { apiKeyQuota, accountQuota: 0 })
  expect(keysOnly.apiKey).toMatchObject({ remaining: 19 })
  expect(keysOnly.account).toBeUndefined()
})
