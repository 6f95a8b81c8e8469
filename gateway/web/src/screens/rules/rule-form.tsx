import { useState } from 'react'
import { noteRule, type Rule, rulesMax } from '../../api/rule-queries.ts'
import { Dialog } from '../../controls/dialog.tsx'
import { TextField } from '../../controls/field.tsx'
import { Form } from '../../controls/form.tsx'
import { useSaving } from '../../controls/saving/saving.tsx'
import { ruleWords as words } from '../../words/rules.ts'
import { ActionFields } from './action-fields.tsx'
import { ConditionFields } from './condition-fields.tsx'
import type { Known, PartProps } from './names.ts'
import { draftOf, type Entries, entriesOf, faultsOf } from './rule-entries.ts'
import { RulePreview } from './rule-preview.tsx'
import { actionsText, fieldText } from './rule-sentence.ts'
import styles from './rules.module.css'
import { type NamedDraft, saveRule } from './save-rule.ts'

interface Props {
  /** The rule to change; null for a new one. */
  rule: Rule | null
  /** Initial values of the form. */
  entries: Entries
  known: Known
  onClose: () => void
}

/** Creates or changes a rule, with a preview of its effect on stored transactions. */
export function RuleForm({ rule, entries: first, known, onClose }: Props) {
  const [entries, setEntries] = useState(first)
  const [faults, setFaults] = useState<Record<string, string>>({})
  const manner = known.manner(entries.bankAccountId)
  const draft = draftOf(entries, manner)
  const place = rule ? { ruleId: rule.ruleId } : { position: rulesMax }
  const isWhole = Object.keys(faultsOf(entries, manner)).length === 0
  const mannerOf = (of: Rule) => known.manner(of.conditions.bankAccountId)
  const { send, fault, form } = useSaving({
    subject: rule,
    action: words.save,
    save: (wanted: NamedDraft, states) => saveRule(wanted, states, mannerOf),
    sayField: (field, present) => (present ? fieldText(field, present, known) : [words.name, '']),
    take: (present) => present && setEntries(entriesOf(present, mannerOf(present))),
  })
  const submit = () => {
    const found = faultsOf(entries, manner)
    setFaults(found)
    if (Object.keys(found).length > 0) return
    const { name, toName, originalName, originalMerchantName } = entries
    const texts = [name, toName, originalName, originalMerchantName]
    const own = texts.map((one) => one.trim()).find(Boolean)
    const body = { ...draft, name: (own ?? actionsText(draft.actions, known)).slice(0, 300) }
    send(body, (saved) => {
      onClose()
      if (saved) noteRule(saved.ruleId)
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
      <Form {...form} problems={faults} onSubmit={submit} onCancel={onClose}>
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
