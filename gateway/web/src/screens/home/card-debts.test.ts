import { expect, test } from '@jest/globals'
import type { BankAccount } from '../../api/account-queries.ts'
import { findCardDebts } from './card-debts.ts'

const account = (
  bankAccountId: string,
  accountType: BankAccount['accountType'],
  balance: number,
) => ({
  bankAccountId,
  accountType,
  currency: 'EUR',
  currentBalance: balance,
  name: bankAccountId,
})
const checking = account('Checking', 'depository', 500)
const savings = account('Savings', 'depository', 500)
const card = account('Credit card', 'credit', -120)

test.each<[string, string, Partial<Parameters<typeof findCardDebts>[1]>, string[]]>([
  ['on the account that pays', 'Checking', {}, ['Credit card']],
  ['on the one with the payday', 'Checking', { paidIds: ['Checking'] }, ['Credit card']],
  ['not on another one', 'Savings', { paidIds: ['Checking'] }, []],
  ['not on the card', 'Credit card', {}, []],
  ['not without a debt', 'Checking', { accounts: [checking, { ...card, currentBalance: 5 }] }, []],
  [
    'not in another currency',
    'Checking',
    { accounts: [checking, { ...card, currency: 'USD' }] },
    [],
  ],
  ['not of a loan', 'Checking', { accounts: [checking, { ...card, accountType: 'loan' }] }, []],
  ['not with an envelope', 'Checking', { envelopes: [{ name: 'Card', currentAmount: 120 }] }, []],
  [
    'with one of less',
    'Checking',
    { envelopes: [{ name: 'Card', currentAmount: 9 }] },
    ['Credit card'],
  ],
  [
    'with one of food',
    'Checking',
    { envelopes: [{ name: 'Food', currentAmount: 120 }] },
    ['Credit card'],
  ],
])('a debt of a card is told %s', (_, id, more, names) => {
  const household = { accounts: [checking, savings, card], paidIds: [], envelopes: [], ...more }
  expect(findCardDebts(id, household).map(({ card: { name } }) => name)).toEqual(names)
})

test('of a debt, the part that its envelopes hold is told', () => {
  const envelopes = [
    { name: 'Card', currentAmount: 9 },
    { name: 'Credit cards', currentAmount: 30 },
  ]
  const household = { accounts: [checking, card], paidIds: [], envelopes }
  expect(findCardDebts('Checking', household)).toEqual([{ card, owed: 120, held: 39 }])
})
