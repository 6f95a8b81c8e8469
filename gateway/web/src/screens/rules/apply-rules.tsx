import { useChange } from '../../api/changes.ts'
import { coffer } from '../../api/client.ts'
import { Button } from '../../controls/button.tsx'
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

/** Asks to which stored transactions all rules are applied. */
export function ApplyRules({ known, onClose }: Props) {
  const { send, isSending, fault } = useChange((values: Record<string, string>) => {
    const stated = Object.entries(values).filter(([, value]) => value !== '')
    return coffer.createRuleRun({ body: Object.fromEntries(stated) })
  })
  return (
    <Dialog title={words.applyTitle} isOpen onClose={onClose}>
      <p>{words.applyText}</p>
      <Form
        action={words.start}
        isSending={isSending}
        fault={fault}
        onSubmit={(values) => send(values, onClose)}
        others={<Button onClick={onClose}>{words.cancel}</Button>}
      >
        <ChoiceField
          label={words.bankAccount}
          name="bankAccountId"
          options={[{ value: '', text: words.allAccounts }, ...known.accounts]}
          fault={fault?.problems.bankAccountId}
        />
        <div className={styles.dates}>
          <TextField label={words.from} name="from" type="date" fault={fault?.problems.from} />
          <TextField label={words.to} name="to" type="date" fault={fault?.problems.to} />
        </div>
      </Form>
      <RulePreview draft={{}} known={known} />
    </Dialog>
  )
}
