import { expect, test } from '@jest/globals'
import type { Transaction } from '../../api/budget-queries.ts'
import { draftOf, entriesLike, entriesOf, faultsOf, wordsOf } from './rule-entries.ts'

const manner = { locale: 'de-DE', currency: 'EUR' }

test.each([
  ['LIDL 1234 BERLIN', null, 'LIDL'],
  ['CARD PURCHASE 0412 LIDL 33', 'Lidl', 'Lidl'],
  ['REWE SAGT DANKE. 44231200/Köln', 'Rewe Köln', 'REWE SAGT DANKE'],
  ['7-ELEVEN', null, '7-ELEVEN'],
  ['SQ *Kaffeehaus', null, 'SQ *Kaffeehaus'],
])('of %s, like %s, a rule takes %s', (text, cluster, words) => {
  expect(wordsOf(text, cluster)).toBe(words)
})

test.each([
  [{ originalMerchantName: 'EDEKA MÜLLER 4711' }, { originalMerchantName: 'EDEKA MÜLLER' }, ''],
  [{ originalMerchantName: undefined }, { originalName: 'Kartenzahlung' }, 'EDEKA MÜLLER 4711'],
  [{ originalName: 'EDEKA MÜLLER 4711' }, { originalName: 'EDEKA MÜLLER' }, ''],
])('like %j the condition is %j', (texts, condition, toName) => {
  const payee = 'EDEKA MÜLLER 4711'
  const row = { name: payee, originalName: 'Kartenzahlung 02.12.', originalMerchantName: payee }
  const entries = entriesLike({ ...row, ...texts } as Transaction, null, manner)
  expect(entries).toEqual({ ...entriesOf(null, manner), ...condition, toName })
})

test('a rule keeps all its conditions and actions in the form', () => {
  const rule = {
    name: 'Rent',
    conditions: {
      originalName: { kind: 'pattern', text: 'miete*' },
      originalMerchantName: { kind: 'equals', text: 'GEWO' },
      amountFrom: 100_050,
      amountTo: 120_000,
      bankAccountId: 'bac_1',
      source: 'feed',
      isPending: false,
      dayFrom: 28,
      dayTo: 3,
    },
    actions: { name: 'Miete', merchantName: 'GEWO', notes: 'warm', tags: ['haus'] },
  } as const
  const { name: _, ...draft } = rule
  const stored = { ...rule, actions: { ...rule.actions, tags: ['haus'] } }
  expect(draftOf(entriesOf(stored, manner), manner)).toEqual(draft)
})

test('faults name the field', () => {
  const typed = { ...entriesOf(null, manner), amountFrom: '5', amountTo: '4,50', dayTo: '32' }
  expect(Object.keys(faultsOf(typed, manner))).toEqual(['amountTo', 'dayTo', 'toName'])
  const none = entriesOf(null, manner)
  expect(Object.keys(faultsOf(none, manner))).toEqual(['originalName', 'toName'])
})
