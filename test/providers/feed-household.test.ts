import { expect, test } from '@jest/globals'
import { moveIn } from './feed-household.ts'
import { startLunchFlow } from './lunch-flow.ts'

const start = new Date('2027-03-01T08:00:00Z')

async function household() {
  const provider = await startLunchFlow()
  return { provider, ...moveIn(provider, start), checking: provider.bank(4417) }
}

test('the household has half a year in two bank accounts, the same after a restart', async () => {
  const [one, two] = [await household(), await household()]
  await using _one = one.provider
  await using _two = two.provider
  const days = one.checking.listed().map(({ date }) => date)
  expect([days.length, days.toSorted()[0], days.toSorted().at(-1)]).toEqual([
    316,
    '2026-08-30',
    '2027-02-28',
  ])
  expect(one.provider.accounts).toMatchObject([
    { name: 'Everyday Checking', balance: '11738.82' },
    { name: 'Rainy Day Savings', balance: '5620.00' },
  ])
  expect(two.checking.listed()).toEqual(one.checking.listed())
  expect(two.provider.bank(8820).listed()).toEqual(one.provider.bank(8820).listed())
  expect(one.checking.listed()).toContainEqual(
    expect.objectContaining({ merchant: expect.stringContaining('&') }),
  )
})

test('a purchase is pending without an ID until the next one', async () => {
  const { provider, shop, checking } = await household()
  await using _provider = provider
  shop(new Date('2027-03-01T08:01:00Z'))
  expect(checking.listed().slice(316)).toMatchObject([
    { id: null, date: '2027-03-01', amount: '-4.80', isPending: true },
  ])
  expect(provider.accounts[0]?.balance).toBe('11734.02')
  shop(new Date('2027-03-01T08:02:00Z'))
  expect(checking.listed().slice(316)).toMatchObject([
    { id: 'purchase-1', amount: '-4.80', isPending: false },
    { id: null, amount: '-2.25', isPending: true },
  ])
})
