import type { Draft } from '../../api/rule-queries.ts'
import { actionsText, conditionsText, type Names } from './rule-sentence.ts'

/**
 * A rule in one line: conditions, then actions. A rule whose tags were removed may have no action.
 */
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
