import type { Draft } from '../../api/rule-queries.ts'
import { actionsText, conditionsText, type Names } from './rule-sentence.ts'

/** A rule as one line: conditions, then actions; a rule whose tags were removed may have none. */
export function RuleLine({ rule, names }: { rule: Draft; names: Names }) {
  const actions = actionsText(rule.actions, names)
  return (
    <>
      {conditionsText(rule.conditions, names)}
      {actions && (
        <>
          {' '}
          <span aria-hidden>→</span> {actions}
        </>
      )}
    </>
  )
}
