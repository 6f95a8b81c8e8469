import { expect, test } from '@jest/globals'
import { ofAccount } from './search.ts'

test('another bank account keeps the filters that name no object of the former one', () => {
  const search = {
    account: 'bac_1',
    search: 'rent',
    tag: 'tax',
    spendingId: 'spnd_1',
    like: 'txn_1',
  }
  expect(ofAccount(search, 'bac_2')).toEqual({ account: 'bac_2', search: 'rent', tag: 'tax' })
  const free = { spendingId: 'free', flow: 'out' }
  expect(ofAccount(free, 'bac_2')).toEqual({ ...free, account: 'bac_2' })
})
