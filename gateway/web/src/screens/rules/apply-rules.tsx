import { useState } from 'react'
import { useChange } from '../../api/changes.ts'
import { coffer } from '../../api/client.ts'
import type { RuleScope } from '../../api/rule-queries.ts'
import { Dialog } from '../../controls/dialog.tsx'
import { ChoiceField, TextField } from '../../controls/field.tsx'
import { Form } from '../../controls/form.tsx'
import { runWords as words } from '../../words/rule-runs.ts'
import type { Known } from './names.ts'
import { RulePreview } from './rule-preview.tsx'
import styles from './rules.module.css'

interface Props {
  known: Known
  onClose: () => void
}

/** Dialog that asks to which stored transactions all rules are applied. */
export function ApplyRules({ known, onClose }: Props) {
  const [chosen, setChosen] = useState({ bankAccountId: '', from: '', to: '' })
  const choose = (next: Partial<typeof chosen>) => setChosen((now) => ({ ...now, ...next }))
  const stated = Object.entries(chosen).filter(([, value]) => value !== '')
  const scope: RuleScope = Object.fromEntries(stated)
  const { send, isSending, fault } = useChange(() => coffer.createRuleRun({ body: scope }))
  return (
    <Dialog title={words.applyTitle} isOpen onClose={onClose}>
      <p>{words.applyText}</p>
      <Form
        action={words.start}
        isSending={isSending}
        fault={fault}
        onSubmit={() => send(undefined, onClose)}
        onCancel={onClose}
      >
        <ChoiceField
          label={words.bankAccount}
          value={chosen.bankAccountId}
          options={[{ value: '', text: words.allAccounts }, ...known.accounts]}
          onChange={(bankAccountId) => choose({ bankAccountId })}
          fault={fault?.problems.bankAccountId}
        />
        <div className={styles.dates}>
          {(['from', 'to'] as const).map((key) => (
            <TextField
              key={key}
              label={words[key]}
              type="date"
              value={chosen[key]}
              onChange={({ target }) => choose({ [key]: target.value })}
              fault={fault?.problems[key]}
            />
          ))}
        </div>
        <RulePreview draft={scope} known={known} />
      </Form>
    </Dialog>
  )
}
