import type { BankAccount } from '@coffer/client/types'
import { expect, test } from '@jest/globals'
import { isDebt } from './debts.ts'

test.each<[BankAccount['accountType'], boolean]>([
  ['depository', false],
  ['investment', false],
  ['other', false],
  ['credit', true],
  ['loan', true],
])('an account of type %s is a debt: %s', (accountType, debt) => {
  expect(isDebt({ accountType })).toBe(debt)
})
