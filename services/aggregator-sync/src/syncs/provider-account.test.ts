import { expect, test } from '@jest/globals'
import type { UpstreamAccount } from '../provider/aggregator.ts'
import { toProviderAccount } from './provider-account.ts'

const account: UpstreamAccount = {
  accountId: 'a1',
  persistentId: 'lasting',
  name: 'Checking',
  officialName: 'Gold Checking',
  mask: '0000',
  type: 'depository',
  subtype: 'checking',
  currency: 'USD',
  unofficialCurrency: null,
  available: '100.00',
  current: '110.5',
  limit: null,
  raw: '{}',
}

test('an account becomes one of the ledger; a missing balance is 0', () => {
  expect(toProviderAccount(account)).toMatchObject({
    providerAccountId: 'a1',
    aliases: ['lasting'],
    name: 'Checking',
    officialName: 'Gold Checking',
    mask: '0000',
    currency: 'USD',
    accountType: 'depository',
    accountSubType: 'checking',
    availableBalance: 10_000n,
    currentBalance: 11_050n,
    limitBalance: 0n,
    raw: '{}',
  })
})

test('fields that are not stated are left out', () => {
  const bare = toProviderAccount({ ...account, persistentId: null, mask: null, raw: null })
  expect(bare.aliases).toEqual([])
  expect(bare.mask).toBeUndefined()
  expect(bare.raw).toBeUndefined()
})

test.each([
  ['JPY', '500', 500n],
  ['BHD', '1.234', 1_234n],
  ['USD', '0.125', 13n],
])('a balance in %s of %s is %d minor units', (currency, current, minor) => {
  expect(toProviderAccount({ ...account, currency, current }).currentBalance).toBe(minor)
})

test('an account of another kind of currency has no balances, and the default currency', () => {
  const crypto = toProviderAccount({ ...account, currency: null, unofficialCurrency: 'BTC' })
  expect(crypto.currency).toBe('USD')
  for (const balance of ['availableBalance', 'currentBalance', 'limitBalance'] as const) {
    expect(crypto[balance]).toBeUndefined()
  }
  expect(toProviderAccount({ ...account, currency: null }).currentBalance).toBe(11_050n)
})

test('a balance beyond what the ledger stores is left out', () => {
  expect(toProviderAccount({ ...account, current: '1e20' }).currentBalance).toBeUndefined()
})

test.each(['45035996273704.96', '-90071992547409.91'])(
  'a balance of %s, which the next one could not follow, is left out',
  (available) => {
    const { currentBalance, ...bare } = toProviderAccount({ ...account, available })
    expect(currentBalance).toBe(11_050n)
    expect(bare.availableBalance).toBeUndefined()
  },
)

test('half the range of amounts is a balance', () => {
  const { availableBalance } = toProviderAccount({ ...account, available: '-45035996273704.95' })
  expect(availableBalance).toBe(-(2n ** 52n - 1n))
})
