import { useChange } from '../../api/changes.ts'
import { coffer } from '../../api/client.ts'
import type { RuleRun } from '../../api/rule-queries.ts'
import { Button } from '../../controls/button.tsx'
import { Dialog } from '../../controls/dialog.tsx'
import { FaultBanner } from '../../controls/form.tsx'
import rows from '../../controls/rows.module.css'
import { runWords as words } from '../../words/rule-runs.ts'

interface Props {
  run: RuleRun
  onClose: () => void
}

/** Asks before a run is undone. */
export function UndoRun({ run: { ruleRunId, changedCount }, onClose }: Props) {
  const { send, isSending, fault } = useChange(() => coffer.undoRuleRun({ path: { ruleRunId } }))
  return (
    <Dialog title={words.undoTitle} isOpen onClose={onClose}>
      {fault && <FaultBanner fault={fault} />}
      <p>{words.undoText(changedCount)}</p>
      <div className={rows.toolbar}>
        <Button kind="danger" isBusy={isSending} onClick={() => send(undefined, onClose)}>
          {words.undo}
        </Button>
        <Button onClick={onClose}>{words.cancel}</Button>
      </div>
    </Dialog>
  )
}
