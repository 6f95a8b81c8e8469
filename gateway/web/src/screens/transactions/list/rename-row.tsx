import { type KeyboardEvent, useState } from 'react'
import type { Transaction } from '../../../api/budget-queries.ts'
import { leaveEntries } from '../../../controls/entries/entries.ts'
import { TextField } from '../../../controls/field.tsx'
import { Form } from '../../../controls/form.tsx'
import { useSaving } from '../../../controls/saving/saving.tsx'
import { transactionWords as words } from '../../../words/transactions.ts'
import { fieldText, saveTexts, type TextChange, textChange, textsOf } from '../saved-texts.ts'
import styles from '../transactions.module.css'

interface Props {
  transaction: Transaction
  onClose: () => void
}

/** Form that changes name and note of a transaction in its row. */
export function RenameRow({ transaction, onClose }: Props) {
  const [typed, setTyped] = useState(textsOf(transaction))
  const { shown, send, fault, form } = useSaving({
    subject: transaction,
    action: words.save,
    save: (body: TextChange, { seen }) => saveTexts(body, seen),
    sayField: fieldText,
    take: (present) => setTyped(textsOf(present)),
  })
  const close = ({ key, target }: KeyboardEvent) => {
    if (key === 'Escape') leaveEntries((target as HTMLElement).closest('form'), onClose)
  }
  return (
    <div className={styles.rename}>
      <Form {...form} onSubmit={() => send(textChange(typed, shown), onClose)} onCancel={onClose}>
        <TextField
          autoFocus
          onKeyDown={close}
          label={words.name}
          value={typed.name}
          onChange={({ target }) => setTyped({ ...typed, name: target.value })}
          fault={fault?.problems.name}
        />
        <TextField
          onKeyDown={close}
          label={words.note}
          value={typed.notes}
          onChange={({ target }) => setTyped({ ...typed, notes: target.value })}
          fault={fault?.problems.notes}
        />
      </Form>
    </div>
  )
}
