import { duplicate, invalid, notFound, unavailable } from '@coffer/kit/rpc/errors'
import { afterEach, describe, expect, test } from '@jest/globals'
import { createGateway, type Gateway } from '../gateway.ts'
import { accountUrl, balances, bankAccount, fundingSchedule, ids } from '../samples.ts'

let gateway: Gateway
afterEach(async () => await gateway[Symbol.asyncDispose]())

test('a bank account has every key of the interface', async () => {
  gateway = await createGateway({ bankAccounts: { getBankAccount: () => ({ bankAccount }) } })
  const { body } = await gateway.send('GET', accountUrl)
  expect(body).toEqual({
    bankAccountId: ids.bankAccountId,
    linkId: ids.linkId,
    feedBankAccountId: null,
    currency: 'USD',
    availableBalance: 100000,
    currentBalance: 102500,
    limitBalance: 0,
    mask: null,
    name: 'Checking',
    originalName: '',
    accountType: 'depository',
    accountSubType: 'checking',
    status: 'active',
    lastUpdated: '2026-01-02T03:04:05Z',
    createdAt: '2026-01-02T03:04:05Z',
    updatedAt: '2026-01-02T03:04:05Z',
    balancesAsOf: null,
  })
})

test.each([
  ['', [], []],
  [`?link_id=${ids.linkId}`, [], null],
  [`?link_id=${ids.linkId}`, [bankAccount], [expect.anything()]],
])('the list with %j of %j is %j', async (query, bankAccounts, body) => {
  gateway = await createGateway({ bankAccounts: { listBankAccounts: () => ({ bankAccounts }) } })
  const answer = await gateway.send('GET', `/api/bank_accounts${query}`)
  expect([answer.status, answer.body]).toEqual([200, body])
})

test.each([
  ['', 'it is blank'],
  [ids.bankAccountId, `${ids.bankAccountId} begins with bac_`],
  ['link_1', 'link_1 is too short (26 characters follow the prefix, not 1)'],
  ['link_01HZZZZZZZZZZZZZZZZZZZZZZA', expect.stringMatching(/^link_\w+ has upper-case/)],
])('the list of link %j is 400', async (linkId, fault) => {
  gateway = await createGateway({})
  const { status, body } = await gateway.send('GET', `/api/bank_accounts?link_id=${linkId}`)
  const [rule, told] = body.problems.link_id.split(': ')
  expect([status, rule, told]).toEqual([400, 'must be an ID that begins with link_', fault])
})

test('the balances and the archive', async () => {
  gateway = await createGateway({
    bankAccounts: {
      getBalances: () => ({ balances }),
      archiveBankAccount: () => ({}),
    },
  })
  expect((await gateway.send('GET', `${accountUrl}/balances`)).body.goals).toBe(30000)
  const archived = await gateway.send('DELETE', accountUrl)
  expect([archived.status, archived.text]).toEqual([200, ''])
})

test('missing keys and nulls are unset in the request to the ledger', async () => {
  gateway = await createGateway({ bankAccounts: { createBankAccount: () => ({ bankAccount }) } })
  const body = { linkId: ids.linkId, name: 'Checking', mask: null, currency: null, limitBalance: 0 }
  expect((await gateway.send('POST', '/api/bank_accounts', { body })).status).toBe(200)
  const message = gateway.received.at(-1)?.message as Record<string, unknown>
  expect(message).toMatchObject({ linkId: ids.linkId, name: 'Checking', limitBalance: 0n })
  expect([message.mask, message.currency, message.status]).toEqual([
    undefined,
    undefined,
    undefined,
  ])
})

test.each([
  ['POST', { linkId: ids.linkId }, { name: 'required key is missing' }],
  ['POST', { limitBalance: -1 }, { limitBalance: { oneOf: ['must be null', expect.anything()] } }],
  ['POST', { mask: '12a4' }, { mask: { oneOf: ['must be null', 'must be exactly 4 digits'] } }],
  ['POST', { currency: 'usd' }, { currency: { oneOf: expect.anything() } }],
  ['POST', { accountSubType: 'gold' }, { accountSubType: expect.stringMatching(/money market/) }],
  ['POST', { originalName: '' }, { originalName: 'cannot be blank' }],
  ['PATCH', { name: '' }, { name: 'cannot be blank' }],
  ['PATCH', { currentBalance: null }, { currentBalance: 'cannot be blank' }],
  [
    'PATCH',
    { limitBalance: -1, mask: '123' },
    {
      limitBalance: { oneOf: ['must be null', 'must not be negative'] },
      mask: { oneOf: ['must be null', 'must have exactly 4 characters'] },
    },
  ],
  ['PATCH', { status: 'active' }, { status: 'key not expected' }],
])('%s of %j is refused', async (method, body, problems) => {
  gateway = await createGateway({ bankAccounts: { getBankAccount: () => ({ bankAccount }) } })
  const url = method === 'POST' ? '/api/bank_accounts' : accountUrl
  const answer = await gateway.send(method, url, { body })
  expect(answer.status).toBe(400)
  expect(answer.body.problems).toMatchObject(problems)
})

test('refusals of the ledger reach the client unchanged', async () => {
  const problems = { currency: 'key not expected', limits: { oneOf: { 0: 'a', 1: { b: 'c' } } } }
  gateway = await createGateway({
    bankAccounts: {
      updateBankAccount: () => {
        throw invalid(problems)
      },
      createBankAccount: () => {
        throw duplicate('bank account', { feedBankAccountId: 'is taken' })
      },
      getBankAccount: () => {
        throw notFound('bank account')
      },
    },
  })
  const patched = await gateway.send('PATCH', accountUrl, { body: { currency: 'EUR' } })
  expect([patched.status, patched.body]).toEqual([
    400,
    {
      error: 'Invalid request',
      problems: { currency: 'key not expected', limits: { oneOf: ['a', { b: 'c' }] } },
    },
  ])
  const body = { linkId: ids.linkId, name: 'Checking' }
  const twice = await gateway.send('POST', '/api/bank_accounts', { body })
  const error = 'bank account: a similar object already exists'
  const taken = { feedBankAccountId: 'is taken' }
  expect([twice.status, twice.body]).toEqual([400, { error, problems: taken }])
  const missing = await gateway.send('GET', accountUrl)
  expect([missing.status, missing.body]).toEqual([
    404,
    { error: 'bank account: record does not exist' },
  ])
})

const scheduleUrl = `${accountUrl}/funding_schedules`
const schedule = { name: 'Payday', ruleset: fundingSchedule.ruleset }

test('funding schedules can be listed, read and created', async () => {
  gateway = await createGateway({
    fundingSchedules: {
      listFundingSchedules: () => ({ fundingSchedules: [] }),
      getFundingSchedule: () => ({ fundingSchedule }),
      createFundingSchedule: () => ({ fundingSchedule }),
    },
  })
  expect((await gateway.send('GET', scheduleUrl)).body).toEqual([])
  const one = await gateway.send('GET', `${scheduleUrl}/${ids.fundingScheduleId}`)
  expect(one.body).toEqual({
    fundingScheduleId: ids.fundingScheduleId,
    bankAccountId: ids.bankAccountId,
    name: 'Payday',
    ruleset: fundingSchedule.ruleset,
    excludeWeekends: false,
    waitForDeposit: false,
    autoCreateTransaction: false,
    estimatedDeposit: null,
    lastRecurrence: null,
    nextRecurrence: '2026-01-02T03:04:05Z',
    nextRecurrenceOriginal: '2026-01-02T03:04:05Z',
  })
  const body = { ...schedule, description: ' ', estimatedDeposit: 250_000, nextRecurrence: null }
  expect((await gateway.send('POST', scheduleUrl, { body })).status).toBe(200)
  const message = gateway.received.at(-1)?.message as Record<string, unknown>
  expect(message).toMatchObject({ name: 'Payday', estimatedDeposit: 250_000n })
  expect([message.description, message.nextRecurrence]).toEqual([undefined, undefined])
})

test.each([
  [{ ...schedule, ruleset: null }, { ruleset: 'cannot be blank' }],
  [{ ...schedule, excludeWeekends: null }, { excludeWeekends: 'cannot be blank' }],
  [{ ...schedule, waitForDeposit: true }, { waitForDeposit: 'key not expected' }],
  [
    { ...schedule, estimatedDeposit: 0 },
    { estimatedDeposit: { oneOf: ['must be null', 'must be greater than 0'] } },
  ],
])('the funding schedule %j is refused', async (body, problems) => {
  gateway = await createGateway({})
  const answer = await gateway.send('POST', scheduleUrl, { body })
  expect([answer.status, answer.body.problems]).toEqual([400, problems])
})

describe('an account from a candidate', () => {
  const feedOn = { COFFER_FEED_ENABLED: 'true' }
  const feedBankAccountId = 'lbac_01hzzzzzzzzzzzzzzzzzzzzzza'
  const body = { linkId: ids.linkId, name: 'Feed', originalName: 'Mine', feedBankAccountId }
  const { feedLinkId } = ids
  const candidate = { feedBankAccountId, feedLinkId, name: 'Theirs', status: 'active' }
  const findFeedBankAccounts = () => ({ feedBankAccounts: [candidate] })
  const getLink = () => ({ link: { linkId: ids.linkId, feedLinkId } })
  const createBankAccount = () => ({ bankAccount: { ...bankAccount, feedBankAccountId } })
  const archiveBankAccount = () => ({ feedBankAccountId })
  const bankAccounts = { createBankAccount, archiveBankAccount }
  const create = () => gateway.send('POST', '/api/bank_accounts', { body })

  test('is refused where the integration is off, and where the link is missing', async () => {
    gateway = await createGateway({ links: { getLink } })
    expect((await create()).status).toBe(404)
    await gateway[Symbol.asyncDispose]()
    const missing = () => {
      throw notFound('link')
    }
    gateway = await createGateway({ links: { getLink: missing } }, feedOn)
    expect((await create()).status).toBe(404)
  })

  test.each([
    ['does not exist', { feedBankAccounts: [] }],
    ['another connection offers', { feedBankAccounts: [{ ...candidate, feedLinkId: 'lfx_2' }] }],
  ])('that %s is refused', async (_what, found) => {
    const feedBankAccounts = { findFeedBankAccounts: () => found }
    gateway = await createGateway({ links: { getLink }, feedBankAccounts }, feedOn)
    const problems = {
      feedBankAccountId: 'is not an account of this link: list or refresh its candidates',
    }
    expect(await create()).toMatchObject({ status: 400, body: { problems } })
  })

  test('has its original name, and the candidate is activated and deactivated', async () => {
    const activateFeedBankAccount = () => ({ feedBankAccount: candidate })
    const deactivateFeedBankAccount = () => ({})
    const told = { findFeedBankAccounts, activateFeedBankAccount, deactivateFeedBankAccount }
    const stubs = { links: { getLink }, bankAccounts, feedBankAccounts: told }
    gateway = await createGateway(stubs, feedOn)
    const { status, body: made } = await create()
    expect([status, made.feedBankAccount.status]).toEqual([200, 'active'])
    expect((await gateway.send('DELETE', accountUrl)).status).toBe(200)
    const { bankAccountId } = ids
    const [, , created, activated, , deactivated] = gateway.received.slice(-6)
    expect(created).toMatchObject({ message: { feedBankAccountId, originalName: 'Theirs' } })
    for (const one of [activated, deactivated]) {
      expect(one).toMatchObject({ message: { feedBankAccountId, bankAccountId } })
    }
  })

  test('is created and archived also while feed-sync is away', async () => {
    const away = () => {
      throw unavailable('feed-sync is away')
    }
    const [activateFeedBankAccount, deactivateFeedBankAccount] = [away, away]
    const told = { findFeedBankAccounts, activateFeedBankAccount, deactivateFeedBankAccount }
    const stubs = { links: { getLink }, bankAccounts, feedBankAccounts: told }
    gateway = await createGateway(stubs, feedOn)
    const { status, body: made } = await create()
    expect([status, made.feedBankAccountId]).toEqual([200, feedBankAccountId])
    expect(made).not.toHaveProperty('feedBankAccount')
    expect((await gateway.send('DELETE', accountUrl)).status).toBe(200)
  })
})

describe('a feed account', () => {
  const feedBankAccountId = 'lbac_01hzzzzzzzzzzzzzzzzzzzzzza'
  const fed = { ...bankAccount, feedBankAccountId }
  const found = { feedBankAccounts: [{ feedBankAccountId, feedStatus: 'ACTIVE' }] }
  const bankAccounts = {
    listBankAccounts: () => ({ bankAccounts: [bankAccount, fed] }),
    getBankAccount: () => ({ bankAccount: fed }),
    updateBankAccount: () => ({ bankAccount: fed }),
  }
  const change = { body: { name: 'Main' } }

  test('is shown with its candidate; one call finds all candidates', async () => {
    const findFeedBankAccounts = () => found
    gateway = await createGateway({ bankAccounts, feedBankAccounts: { findFeedBankAccounts } })
    const { body } = await gateway.send('GET', '/api/bank_accounts')
    expect(body[0]).not.toHaveProperty('feedBankAccount')
    expect(body[1].feedBankAccount).toMatchObject({ feedBankAccountId, feedStatus: 'ACTIVE' })
    const asked = gateway.received.filter(({ rpc }) => rpc === 'FindFeedBankAccounts')
    expect(asked).toMatchObject([{ message: { feedBankAccountIds: [feedBankAccountId] } }])
    for (const answer of [
      await gateway.send('GET', accountUrl),
      await gateway.send('PATCH', accountUrl, change),
    ]) {
      expect(answer.body.feedBankAccount).toMatchObject({ feedBankAccountId })
    }
  })

  test('that was changed is answered also while feed-sync is away', async () => {
    const findFeedBankAccounts = () => {
      throw unavailable('feed-sync is away')
    }
    gateway = await createGateway({ bankAccounts, feedBankAccounts: { findFeedBankAccounts } })
    expect((await gateway.send('GET', accountUrl)).status).toBe(503)
    const answer = await gateway.send('PATCH', accountUrl, change)
    expect([answer.status, answer.body.feedBankAccountId]).toEqual([200, feedBankAccountId])
  })
})
