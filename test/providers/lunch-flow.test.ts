import { eventually } from '@coffer/host/testing/boot'
import { describe, expect, test } from '@jest/globals'
import type { Json } from '../harness/person.ts'
import type { Fault } from './faults.ts'
import { faults } from './feed-faults.ts'
import { feedAccount, type LunchFlow, startLunchFlow } from './lunch-flow.ts'

/** Requests a path with the right key. */
async function get({ url, apiKey }: LunchFlow, path: string, signal?: AbortSignal) {
  const headers = { 'x-api-key': apiKey }
  return fetch(`${url}${path}`, { headers, redirect: 'manual', signal: signal ?? null })
}

/** Returns the transactions of account 1, with the pending ones. */
async function rows(provider: LunchFlow, query = 'include_pending=true'): Promise<Json[]> {
  const answer = await get(provider, `/accounts/1/transactions?${query}`)
  const { transactions } = (await answer.json()) as Json
  return transactions
}

async function startWithAccount() {
  const provider = await startLunchFlow()
  provider.accounts.push(feedAccount(1))
  return Object.assign(provider, { one: provider.bank(1) })
}

test('answers have the shapes of the real server, and decimals keep their digits', async () => {
  await using provider = await startWithAccount()
  provider.one.setBalance('-7.50')
  provider.one.post({ date: '2026-03-04', amount: '-12.340', merchant: 'Café', description: 'POS' })
  expect(await (await get(provider, '/accounts')).json()).toEqual({
    accounts: [
      {
        id: 1,
        name: 'Account 1',
        institution_name: 'First Bank',
        institution_logo: expect.stringMatching(/^https:/),
        provider: 'gocardless',
        currency: 'USD',
        status: 'ACTIVE',
      },
    ],
    total: 1,
  })
  const balance = await get(provider, '/accounts/1/balance')
  expect(await balance.text()).toBe('{"balance":{"amount":-7.50,"currency":"USD"}}')
  const listed = await get(provider, '/accounts/1/transactions')
  expect(await listed.text()).toBe(
    '{"transactions":[{"id":"lf-1-1","accountId":1,"amount":-12.340,"currency":"USD",' +
      '"date":"2026-03-04","merchant":"Café","description":"POS","isPending":false}],"total":1}',
  )
  expect((await get(provider, '/accounts/2/transactions')).status).toBe(404)
  expect((await fetch(`${provider.url}/accounts`)).status).toBe(403)
})

test('queries choose days and pending rows, each as far as the dialect knows them', async () => {
  await using provider = await startWithAccount()
  for (const day of ['01', '02', '03']) {
    provider.one.post({ id: day, date: `2026-03-${day}`, amount: '-1' })
  }
  provider.one.pend({ id: null, date: '2026-03-03', amount: '-2' })
  const idsOf = async (query: string) => (await rows(provider, query)).map(({ id }) => id)
  const days = 'from=2026-03-02&to=2026-03-03'
  expect(await idsOf(days)).toEqual(['02', '03'])
  expect(await idsOf(`include_pending=true&${days}`)).toEqual(['02', '03', null])
  expect((await get(provider, '/accounts/1/transactions?from=soon')).status).toBe(400)
  provider.dialect = 'without-days'
  expect(await idsOf(days)).toEqual(['01', '02', '03'])
  provider.dialect = 'plain'
  expect((await get(provider, `/accounts/1/transactions?${days}`)).status).toBe(404)
  expect((await rows(provider, '')).map(({ isPending }) => isPending)).toEqual(
    Array(3).fill(undefined),
  )
  expect(provider.requests.at(-1)).toBe('/accounts/1/transactions?')
})

describe('a script of the bank', () => {
  test('posts what is pending, under its ID, another, or its first', async () => {
    await using provider = await startWithAccount()
    const { one } = provider
    const [kept, renewed, unnamed] = [
      one.pend({ date: '2026-03-01', amount: '-1' }),
      one.pend({ date: '2026-03-01', amount: '-2' }),
      one.pend({ id: null, date: '2026-03-01', amount: '-3' }),
    ]
    expect((await rows(provider)).map(({ isPending }) => isPending)).toEqual([true, true, true])
    expect(one.settle(kept, { date: '2026-03-02', amount: '-1.50' })).toBe(kept)
    expect(one.settle(renewed, { id: 'new' })).toBe('new')
    const named = one.settle(unnamed)
    expect(await rows(provider)).toMatchObject([
      { id: kept, date: '2026-03-02', amount: -1.5, isPending: false },
      { id: 'new', amount: -2, isPending: false },
      { id: named, amount: -3, isPending: false },
    ])
    expect(() => one.settle(named)).toThrow('is posted already')
  })

  test('changes, removes, repeats, delays, moves and reorders rows', async () => {
    await using provider = await startWithAccount()
    const { one } = provider
    const post = (id: string) => one.post({ id, date: '2026-03-01', amount: '-1' })
    for (const id of ['a', 'b', 'c', 'd']) post(id)
    const idsOf = async () => (await rows(provider)).map(({ id }) => id)
    one.change('a', { id: 'A', amount: '-9', merchant: null })
    one.remove('b')
    one.duplicate('c')
    one.delay('d', 2)
    expect((await rows(provider))[0]).toMatchObject({ id: 'A', amount: -9, merchant: null })
    expect(await idsOf()).toEqual(['A', 'c', 'c'])
    expect(await idsOf()).toEqual(['A', 'c', 'c', 'd'])
    one.moveWhilePaging('d', '2026-05-05')
    expect((await rows(provider))[3]?.date).toBe('2026-03-01')
    expect((await rows(provider))[3]?.date).toBe('2026-05-05')
    one.reorder(4)
    const reordered = await idsOf()
    expect(reordered).not.toEqual(['A', 'c', 'c', 'd'])
    expect(reordered.toSorted()).toEqual(['A', 'c', 'c', 'd'])
    expect(() => post('c')).toThrow('has a row c already')
    expect(() => one.remove('b')).toThrow('has no row b')
  })
})

test('requests for a bank account that overlap are recorded', async () => {
  await using provider = await startWithAccount()
  provider.accounts.push(feedAccount(2))
  provider.fault(/balance$/, faults.hang, 1)
  const given = new AbortController()
  const unanswered = get(provider, '/accounts/1/balance', given.signal)
  await eventually(async () => provider.requests.length, Boolean)
  for (const path of ['/accounts', '/accounts/2/balance']) await get(provider, path)
  expect(provider.overlaps).toEqual([])
  await get(provider, '/accounts/1/transactions')
  expect(provider.overlaps).toEqual(['/accounts/1/transactions'])
  given.abort()
  await expect(unanswered).rejects.toThrow()
  const overlaps = async () => {
    provider.overlaps.splice(0)
    await get(provider, '/accounts/1/transactions')
    return provider.overlaps.length
  }
  await eventually(overlaps, (count) => count === 0)
})

describe('a fault', () => {
  test('applies to matching paths, so often, until it is removed', async () => {
    await using provider = await startWithAccount()
    provider.fault(/balance$/, faults.status(500), 2)
    const status = async (path: string) => (await get(provider, path)).status
    expect(await status('/accounts')).toBe(200)
    expect(await status('/accounts/1/balance')).toBe(500)
    expect(await status('/accounts/1/balance')).toBe(500)
    expect(await status('/accounts/1/balance')).toBe(200)
    provider.fault(/./, faults.rateLimited('7'))
    const limited = await get(provider, '/accounts')
    expect([limited.status, limited.headers.get('retry-after')]).toEqual([429, '7'])
    provider.fault(/./, faults.redirect('https://elsewhere.example/'))
    provider.fault(/./, null)
    expect(await status('/accounts')).toBe(200)
    provider.fault(/accounts/, faults.redirect('https://elsewhere.example/'))
    const redirected = await get(provider, '/accounts')
    expect([redirected.status, redirected.headers.get('location')]).toEqual([
      308,
      'https://elsewhere.example/',
    ])
    provider.fault(/accounts/, null)
    provider.fault(/accounts/, faults.refusedKey())
    expect(await status('/accounts')).toBe(401)
  })

  test.each<[string, Fault, (body: string) => unknown, unknown]>([
    ['invalid JSON', faults.invalidJson, (body) => body.endsWith('"total":1'), true],
    ['wrong types', faults.wrongTypes, (body) => JSON.parse(body).transactions[0].amount, [1]],
    ['a huge body', faults.huge(100_000), (body) => JSON.parse(body).padding.length, 100_000],
    ['depth', faults.deep(40), (body) => body.startsWith(`{"deep":${'['.repeat(40)}]`), true],
    ['another currency', faults.wrongCurrency(), (body) => /"currency":"XTS"/.test(body), true],
    ['many places', faults.tooManyPlaces, (body) => /"amount":-1.50987,/.test(body), true],
    ['no day', faults.dateOutOfRange(), (body) => /"date":"9999-12-32"/.test(body), true],
    ['a wrong total', faults.wrongTotal, (body) => JSON.parse(body).total, 1_000_000],
    ['another body', faults.body('<html>'), (body) => body, '<html>'],
  ])('is an answer with %s', async (_, fault, read, expected) => {
    await using provider = await startWithAccount()
    provider.one.post({ date: '2026-03-01', amount: '-1.50' })
    provider.fault(/transactions/, fault)
    const answer = await get(provider, '/accounts/1/transactions')
    expect([answer.status, read(await answer.text())]).toEqual([200, expected])
  })

  test('cuts the connection, holds the answer, or sends none', async () => {
    await using provider = await startWithAccount()
    provider.fault(/./, faults.cut(5), 1)
    await expect(get(provider, '/accounts').then((one) => one.text())).rejects.toThrow()
    const held = Promise.withResolvers<void>()
    provider.fault(/./, faults.hold(held.promise), 1)
    const answer = get(provider, '/accounts')
    held.resolve()
    expect((await answer).status).toBe(200)
    provider.fault(/./, faults.hang)
    const gone = AbortSignal.timeout(50)
    await expect(get(provider, '/accounts', gone)).rejects.toThrow()
  })
})
