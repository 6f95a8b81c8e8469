import type { BankAccount } from '@coffer/client/types'
import { expect, test } from '@jest/globals'
import { isDebt, restOf } from './debts.ts'

test.each<[BankAccount['accountType'], boolean]>([
  ['depository', false],
  ['investment', false],
  ['other', false],
  ['credit', true],
  ['loan', true],
])('an account of type %s is a debt: %s', (accountType, debt) => {
  expect(isDebt({ accountType })).toBe(debt)
})

test.each<[BankAccount['accountType'], number, string]>([
  ['depository', 0, 'free'],
  ['credit', 100, 'credit'],
  ['credit', 0, 'owed'],
  ['loan', 0, 'owed'],
])(
  'of an account of type %s with a limit of %i the rest is %s',
  (accountType, limitBalance, rest) => {
    expect(restOf({ accountType, limitBalance })).toBe(rest)
  },
)
