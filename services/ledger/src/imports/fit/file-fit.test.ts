import { expect, test } from '@jest/globals'
import { type FitCandidate, findMisfits, lastDigitsOf } from './file-fit.ts'

const checking: FitCandidate = {
  bankAccountId: 'bac_checking',
  currency: 'EUR',
  mask: '3000',
  stated: ['9999'],
  accountType: 'depository',
  isManual: true,
  balancesAsOf: null,
  rowCount: 0,
}
const card: FitCandidate = {
  ...checking,
  bankAccountId: 'bac_card',
  mask: '1111',
  accountType: 'credit',
}
const savings = { ...checking, bankAccountId: 'bac_savings', mask: null, stated: ['8821', '4417'] }
const synced: FitCandidate = { ...checking, bankAccountId: 'bac_synced', isManual: false }
const all = [checking, card, savings, synced]

const unknown = { reason: 'number' }
const misfit = { stated: null, bankAccountId: null, rowCount: null }

test.each([
  ['an IBAN with the last digits', 'DE89 3704 0044 0532 0130 00', null, []],
  ['a number without a bank account', 'DE12 9999', null, [{ reason: 'number' }]],
  [
    'the number of another one',
    '4111-1111-1111-1111',
    null,
    [{ reason: 'number', bankAccountId: 'bac_card' }],
  ],
  // The digits in the middle of a number are those of its bank.
  ['a number with the digits in its middle', 'DE02 1203 0000 0000 2020 51', null, [unknown]],
  ['a number with a currency behind it', '37040044/0532013000EUR', null, []],
  ['a name', 'Household 24', null, []],
  ['a card', '', 'card', [{ reason: 'kind', stated: 'card', bankAccountId: 'bac_card' }]],
  ['a checking account', '', 'checking', []],
  ['a QIF file of a bank', '', 'bank', []],
])('a file of %s', (_, number, kind, expected) => {
  const file = { account: { number, kind }, currency: 'EUR', comparedCount: 0 }
  const found = findMisfits(file, { all, bankAccountId: 'bac_checking' })
  const stated = (reason: string) => (reason === 'number' ? { stated: number } : {})
  expect(found).toEqual(
    expected.map((one) => ({ ...misfit, ...stated(one.reason), ...one })) as typeof found,
  )
})

test.each([
  ['half of them', 2, 0, 1],
  ['fewer', 1, 0, 0],
  ['as many as the chosen one', 2, 2, 0],
])('rows of which another bank account has %s', (_, there, here, count) => {
  const stored = [
    { ...checking, rowCount: here },
    { ...card, rowCount: there },
    { ...synced, rowCount: 4 },
    { ...savings, currency: 'USD', rowCount: 4 },
  ]
  const of = { all: stored, bankAccountId: 'bac_checking' }
  const rows = { ...misfit, reason: 'rows', bankAccountId: 'bac_card', rowCount: 2n }
  expect(findMisfits({ currency: 'EUR', comparedCount: 4 }, of)).toEqual(Array(count).fill(rows))
})

test.each([
  ['one of its numbers', '00 0004 417', 'bac_savings', []],
  ['another number', '55 0000', 'bac_savings', [{ stated: '55 0000' }]],
  ['its number', '998821', 'bac_card', [{ stated: '998821', bankAccountId: 'bac_savings' }]],
])('a bank account without a mask is known by former files: %s', (_, number, id, expected) => {
  const file = { account: { number, kind: null }, currency: 'EUR', comparedCount: 0 }
  expect(findMisfits(file, { all, bankAccountId: id })).toEqual(
    expected.map((one) => ({ ...misfit, reason: 'number', ...one })),
  )
})

const french = 'FR76 3000 3036 2000 0202 1690 725'

test.each([
  ['a French IBAN, then it again', french, french],
  ['a French IBAN, then its number without the key', french, '00020216907'],
  ['a French number, then its IBAN', '00020216907', french],
  ['a German IBAN, then its number', 'DE89370400440532013000', '532013000'],
])('a bank account is known by %s', (_, former, number) => {
  const stated = [lastDigitsOf({ account: { number: former, kind: null } }) ?? '']
  const file = { account: { number, kind: null }, currency: 'EUR', comparedCount: 0 }
  const known = { ...savings, stated }
  expect(findMisfits(file, { all: [known], bankAccountId: 'bac_savings' })).toEqual([])
})
