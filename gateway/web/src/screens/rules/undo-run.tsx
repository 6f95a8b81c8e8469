import { coffer } from '../../api/client.ts'
import type { RuleRun } from '../../api/rule-queries.ts'
import { Confirmation } from '../../controls/confirmation.tsx'
import { runWords as words } from '../../words/rule-runs.ts'

interface Props {
  run: RuleRun
  onClose: () => void
}

/** Dialog that asks for confirmation before a run is undone. */
export function UndoRun({ run: { ruleRunId, changedCount }, onClose }: Props) {
  return (
    <Confirmation
      title={words.undoTitle}
      action={words.undo}
      change={() => coffer.undoRuleRun({ path: { ruleRunId } })}
      onClose={onClose}
    >
      {words.undoText({ count: changedCount })}
    </Confirmation>
  )
}
