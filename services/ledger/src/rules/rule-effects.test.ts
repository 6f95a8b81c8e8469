import { create } from '@bufbuild/protobuf'
import { foldText } from '@coffer/kit/values/fold'
import { RuleActionsSchema, RuleConditionsSchema } from '@coffer/proto/ledger/v1/rule'
import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { type FieldMarks, findRuleOf, markEdits, sourceOf } from '../book/field-marks.ts'
import { emptyTransaction, type Transaction } from '../book/transaction.ts'
import { compileRules, matchRules } from './rule.ts'
import { tidyTransaction } from './rule-effects.ts'

const texts = ['name', 'merchantName', 'notes'] as const
const fields = [...texts, 'tags'] as const
const word = fc.constantFrom('deli', 'Déli', 'tea', 'rent')
const optional = <Value>(of: fc.Arbitrary<Value>) => fc.option(of, { nil: undefined })

const someRules = fc.array(
  fc.record({
    kind: fc.constantFrom('contains', 'equals', 'startsWith', 'pattern'),
    text: word,
    name: optional(word),
    merchantName: optional(word),
    notes: optional(word),
    tags: fc.array(word, { maxLength: 3 }),
  }),
  { maxLength: 6 },
)

/** Edits of a user, after some rules have run, which are then run again. */
const someEdits = fc.record({
  name: optional(word),
  merchantName: optional(fc.option(word)),
  notes: optional(fc.option(word)),
  tags: optional(fc.option(fc.array(word, { minLength: 1, maxLength: 2 }))),
})

const row: Transaction = {
  ...emptyTransaction(
    { accountId: 'acct_1', bankAccountId: 'bac_1' },
    {
      transactionId: 'txn_1',
      amount: 5n,
      date: new Date('2026-03-02T06:00:00Z'),
      source: 'feed',
      createdAt: new Date('2026-03-02T06:00:00Z'),
    },
  ),
  name: 'Deli',
  originalName: 'Deli',
}

type Drawn = typeof someRules extends fc.Arbitrary<infer Rules> ? Rules : never

function compile(rules: Drawn) {
  const stored = rules.map(({ kind, text, name, merchantName, notes, tags }, at) => {
    const stated = { name, merchantName, notes }
    const set = Object.entries(stated).filter(([, value]) => value !== undefined)
    return {
      ruleId: `rule_${at}`,
      conditions: create(RuleConditionsSchema, { originalName: { kind, text } }),
      actions: create(RuleActionsSchema, { ...Object.fromEntries(set), tags }),
    }
  })
  return compileRules(stored, 'UTC')
}

test('the first rule decides each field, and running rules again changes nothing', () => {
  fc.assert(
    fc.property(someRules, (drawn) => {
      const rules = compile(drawn)
      const { transaction } = tidyTransaction(rules, row, false)
      const matching = matchRules(rules, row)
      for (const field of texts) {
        const first = matching.find(({ actions }) => actions[field] !== undefined)
        expect(transaction[field]).toBe(first?.actions[field] ?? row[field])
      }
      const tags = matching.flatMap(({ actions }) => actions.tags).map(foldText)
      expect((transaction.tags ?? []).map(foldText)).toEqual([...new Set(tags)])
      expect(tidyTransaction(rules, transaction, false).transaction).toBe(transaction)
    }),
  )
})

test('no rule touches what the user has edited, marked or by a version before', () => {
  fc.assert(
    fc.property(someRules, someRules, someEdits, fc.boolean(), (one, two, edits, isMarked) => {
      const before = tidyTransaction(compile(one), row, false).transaction
      const stated = fields.filter((field) => edits[field] !== undefined)
      const set = Object.fromEntries(stated.map((field) => [field, edits[field]]))
      const edited: Transaction = { ...before, ...set }
      const fieldMarks: FieldMarks | null = isMarked
        ? markEdits(before.fieldMarks, stated)
        : before.fieldMarks
      const mine = { ...edited, fieldMarks }
      const own = fields.filter((field) => sourceOf(mine, field).by === 'user')
      const { transaction } = tidyTransaction(compile(two), mine, own.includes('name'))
      for (const field of own) {
        expect(transaction[field]).toEqual(mine[field])
        expect(findRuleOf(transaction, field)).toBeNull()
      }
      if (isMarked) expect(own).toEqual(expect.arrayContaining(stated))
    }),
  )
})
