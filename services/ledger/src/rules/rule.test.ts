import { create, type MessageInitShape } from '@bufbuild/protobuf'
import { RuleActionsSchema, RuleConditionsSchema } from '@coffer/proto/ledger/v1/rule'
import { expect, test } from '@jest/globals'
import { type Candidate, compileRules, matchRules } from './rule.ts'

const zone = 'America/Chicago'
const row: Candidate = {
  bankAccountId: 'bac_1',
  originalName: 'POS Déli 0042 CHICAGO',
  originalMerchantName: 'Déli',
  amount: 1_200n,
  // Midnight of 31 March in Chicago.
  date: new Date('2026-03-31T05:00:00Z'),
  source: 'feed',
  isPending: false,
}
const deposit = { ...row, amount: -1_200n }

type Conditions = MessageInitShape<typeof RuleConditionsSchema>

/** Returns whether a rule with these conditions matches a candidate. */
function isMatch(conditions: Conditions, of: Candidate): boolean {
  const rule = {
    ruleId: 'rule_1',
    conditions: create(RuleConditionsSchema, conditions),
    actions: create(RuleActionsSchema, { name: 'x' }),
  }
  return matchRules(compileRules([rule], zone), of).length === 1
}

const name = (kind: string, text: string) => ({ originalName: { kind, text } })

test.each<[Conditions, Candidate, boolean]>([
  [name('contains', 'deli 0042'), row, true],
  [name('contains', 'dali'), row, false],
  [name('startsWith', 'pos DELI'), row, true],
  [name('startsWith', 'deli'), row, false],
  [name('equals', 'pos deli 0042 chicago'), row, true],
  [name('equals', 'deli'), row, false],
  [name('pattern', 'pos * chicago'), row, true],
  [name('pattern', '*DÉLI*'), row, true],
  [name('pattern', '*0042*deli*'), row, false],
  [name('pattern', 'pos deli*'), row, true],
  [name('pattern', 'deli*'), row, false],
  [name('pattern', '*chicag'), row, false],
  [name('pattern', 'pos deli 0042 chicago'), row, true],
  [name('pattern', '**'), row, true],
  [name('pattern', 'ab*ba'), { ...row, originalName: 'aba' }, false],
  [name('pattern', 'a*b*b'), { ...row, originalName: 'ab' }, false],
  [name('contains', 'a.c'), { ...row, originalName: 'abc' }, false],
  [{ originalMerchantName: { kind: 'equals', text: 'DELI' } }, row, true],
  [{ amountFrom: 1_200n, amountTo: 1_200n }, row, true],
  [{ amountFrom: 1_200n, amountTo: 1_200n }, deposit, true],
  [{ amountFrom: 1_201n }, row, false],
  [{ amountTo: 1_199n }, deposit, false],
  [{ direction: 'out' }, row, true],
  [{ direction: 'in' }, row, false],
  [{ direction: 'in' }, deposit, true],
  [{ direction: 'out' }, { ...row, amount: 0n }, true],
  [{ bankAccountId: 'bac_1', source: 'feed', isPending: false }, row, true],
  [{ bankAccountId: 'bac_2' }, row, false],
  [{ source: 'upload' }, row, false],
  [{ isPending: true }, row, false],
  [{ dayFrom: 31 }, row, true],
  [{ dayFrom: 28, dayTo: 3 }, row, true],
  [{ dayTo: 30 }, row, false],
  [{ ...name('contains', 'deli'), direction: 'in' }, row, false],
])('conditions %j on %j hold: %s', (conditions, of, expected) => {
  expect(isMatch(conditions, of)).toBe(expected)
})

test('a hostile pattern is as fast as any: each of its pieces is searched once', () => {
  const text = `${'a*'.repeat(149)}b`
  const calls = { ...row, originalName: 'a'.repeat(2_000) }
  for (let count = 0; count < 2_000; count += 1)
    expect(isMatch(name('pattern', text), calls)).toBe(false)
})
