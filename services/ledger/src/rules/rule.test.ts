import { create, type MessageInitShape } from '@bufbuild/protobuf'
import { foldText } from '@coffer/kit/values/fold'
import { RuleActionsSchema, RuleConditionsSchema } from '@coffer/proto/ledger/v1/rule'
import { expect, test } from '@jest/globals'
import fc from 'fast-check'
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
  return matchRules(compileRules([ruleOf(conditions)], zone), of).length === 1
}

function ruleOf(conditions: Conditions, ruleId = 'rule_1') {
  const actions = create(RuleActionsSchema, { name: 'x' })
  return { ruleId, conditions: create(RuleConditionsSchema, conditions), actions }
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
  [name('pattern', '´pos*chicago´'), row, true],
  [name('contains', '´pos'), row, false],
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

const accented = { ...row, originalName: `´${row.originalName}¨` }

// A spacing accent folds to a blank and a mark.
test.each(['equals', 'startsWith', 'pattern'])('accents at an end do not count: %s', (kind) => {
  for (const text of ['pos deli 0042 chicago', '´POS Déli 0042 chicago', 'pos deli 0042 chicago¨'])
    for (const one of [row, accented]) expect(isMatch(name(kind, text), one)).toBe(true)
})

test('of many rules, those match whose tests all hold, in their order', () => {
  const word = fc.constantFrom('de', 'deli', 'dél', 'taxi ', 'ax', '0042', ' ', 'i 0')
  const text = fc.array(word, { minLength: 1, maxLength: 4 }).map((words) => words.join(''))
  const kind = fc.constantFrom('contains', 'equals', 'startsWith', 'pattern')
  const starred = text.map((one) => `*${one.replace('i', '*')}*`)
  const condition = fc.record({ kind, text: fc.oneof(text, starred) })
  const conditions = fc.record(
    {
      originalName: condition,
      originalMerchantName: condition,
      direction: fc.constantFrom('in', 'out'),
    },
    { requiredKeys: [] },
  )
  const rows = fc.record({ originalName: text, originalMerchantName: text })
  fc.assert(
    fc.property(fc.array(conditions, { maxLength: 30 }), rows, (all, texts) => {
      const of = { ...row, ...texts }
      const rules = all.map((one, at) => ruleOf(one, `rule_${at}`))
      const found = matchRules(compileRules(rules, zone), of)
      // The tests of all rules, without the index.
      const { rules: compiled } = compileRules(rules, zone)
      const folded = {
        ...of,
        originalName: foldText(of.originalName),
        originalMerchantName: foldText(of.originalMerchantName),
        dayOfMonth: () => 31,
      }
      const tested = compiled.filter(({ tests }) => tests.every((one) => one(folded)))
      expect(found.map(({ ruleId }) => ruleId)).toEqual(tested.map(({ ruleId }) => ruleId))
    }),
  )
})

test('a hostile pattern is as fast as any: each of its pieces is searched once', () => {
  const text = `${'a*'.repeat(149)}b`
  const calls = { ...row, originalName: 'a'.repeat(2_000) }
  for (let count = 0; count < 2_000; count += 1)
    expect(isMatch(name('pattern', text), calls)).toBe(false)
})
