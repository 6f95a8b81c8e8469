import { useState } from 'react'
import { useChange } from '../../api/changes.ts'
import { coffer } from '../../api/client.ts'
import { noteRule, type Rule, rulesMax } from '../../api/rule-queries.ts'
import { Dialog } from '../../controls/dialog.tsx'
import { TextField } from '../../controls/field.tsx'
import { Form } from '../../controls/form.tsx'
import { ruleWords as words } from '../../words/rules.ts'
import { ActionFields } from './action-fields.tsx'
import { ConditionFields } from './condition-fields.tsx'
import type { Known, PartProps } from './names.ts'
import { draftOf, type Entries, faultsOf } from './rule-entries.ts'
import { RulePreview } from './rule-preview.tsx'
import { actionsText } from './rule-sentence.ts'
import styles from './rules.module.css'

interface Props {
  /** The rule to change; null for a new one. */
  rule: Rule | null
  /** The entries to begin with. */
  entries: Entries
  known: Known
  onClose: () => void
}

/** Creates a rule, or changes one, with a preview of what it would have done. */
export function RuleForm({ rule, entries: first, known, onClose }: Props) {
  const [entries, setEntries] = useState(first)
  const [faults, setFaults] = useState<Record<string, string>>({})
  const manner = known.manner(entries.bankAccountId)
  const draft = draftOf(entries, manner)
  const place = rule ? { ruleId: rule.ruleId } : { position: rulesMax }
  const isWhole = Object.keys(faultsOf(entries, manner)).length === 0
  const { send, isSending, fault } = useChange((body: typeof draft & { name: string }) =>
    rule ? coffer.updateRule({ path: { ruleId: rule.ruleId }, body }) : coffer.createRule({ body }),
  )
  const submit = () => {
    const found = faultsOf(entries, manner)
    setFaults(found)
    if (Object.keys(found).length > 0) return
    const { name, toName, originalName, originalMerchantName } = entries
    const texts = [name, toName, originalName, originalMerchantName]
    const own = texts.map((one) => one.trim()).find(Boolean)
    const body = { ...draft, name: (own ?? actionsText(draft.actions, known)).slice(0, 300) }
    send(body, ({ data: { ruleId } }) => {
      onClose()
      noteRule(ruleId)
    })
  }
  const part: PartProps = {
    entries,
    problems: { ...fault?.problems, ...faults },
    known,
    change: (next) => setEntries((now) => ({ ...now, ...next })),
  }
  return (
    <Dialog
      title={rule ? words.editTitle({ name: rule.name }) : words.create}
      isOpen
      onClose={onClose}
      isWide
    >
      <Form
        action={words.save}
        isSending={isSending}
        fault={fault}
        problems={faults}
        onSubmit={submit}
        onCancel={onClose}
      >
        <div className={styles.beside}>
          <div className={styles.entries}>
            <ConditionFields {...part} />
            <ActionFields {...part} />
            <TextField
              label={words.name}
              hint={words.nameHint}
              autoComplete="off"
              maxLength={300}
              value={entries.name}
              onChange={({ target }) => part.change({ name: target.value })}
              fault={part.problems.name}
            />
          </div>
          <RulePreview draft={isWhole ? { ...draft, ...place } : null} known={known} />
        </div>
      </Form>
    </Dialog>
  )
}
