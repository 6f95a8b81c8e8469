import { useChange } from '../../api/changes.ts'
import { coffer } from '../../api/client.ts'
import type { Rule } from '../../api/rule-queries.ts'
import { Button } from '../../controls/button.tsx'
import { Dialog } from '../../controls/dialog.tsx'
import { FaultBanner } from '../../controls/form.tsx'
import rows from '../../controls/rows.module.css'
import { ruleWords as words } from '../../words/rules.ts'

interface Props {
  rule: Rule
  onClose: () => void
}

/** Asks before a rule is deleted. */
export function DeleteRule({ rule: { ruleId, name }, onClose }: Props) {
  const { send, isSending, fault } = useChange(() => coffer.deleteRule({ path: { ruleId } }))
  return (
    <Dialog title={words.deleteTitle(name)} isOpen onClose={onClose}>
      {fault && <FaultBanner fault={fault} />}
      <p>{words.deleteText}</p>
      <div className={rows.toolbar}>
        <Button kind="danger" isBusy={isSending} onClick={() => send(undefined, onClose)}>
          {words.delete}
        </Button>
        <Button onClick={onClose}>{words.cancel}</Button>
      </div>
    </Dialog>
  )
}
