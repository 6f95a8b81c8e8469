import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { keepRules, listKept } from './rule-run.ts'

test('a run keeps all rules in their order, and which of them are chosen', () => {
  fc.assert(
    fc.property(fc.array(fc.boolean(), { maxLength: 9 }), (marks) => {
      const all = marks.map((isChosen, at) => ({
        ruleId: `${at}`,
        conditions: at,
        actions: at,
        isChosen,
      }))
      const chosen = all.filter(({ isChosen }) => isChosen)
      const kept = keepRules(all, (ruleId) => chosen.some((one) => one.ruleId === ruleId))
      expect(kept.map(({ ruleId }) => ruleId)).toEqual(chosen.map(({ ruleId }) => ruleId))
      expect(listKept(kept)).toEqual(chosen.length > 0 ? all : [])
    }),
  )
})
