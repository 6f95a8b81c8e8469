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

/** Name and note of a transaction, changed in its row. */
export function RenameRow({ transaction, onClose }: Props) {
  // Others may change it while the form is open.
  const [shown, setShown] = useState(transaction)
  const [typed, setTyped] = useState(textsOf(transaction))
  const { send, isSending, fault, action, others } = useSaving({
    save: (body: TextChange, seen) => saveTexts(body, seen),
    shown,
    sayField: fieldText,
    take: (present) => {
      setShown(present)
      setTyped(textsOf(present))
    },
  })
  const close = ({ key, target }: KeyboardEvent) => {
    if (key === 'Escape') leaveEntries((target as HTMLElement).closest('form'), onClose)
  }
  return (
    <div className={styles.rename}>
      <Form
        action={action ?? words.save}
        isSending={isSending}
        fault={fault}
        onSubmit={() => send(textChange(typed, shown), onClose)}
        onCancel={onClose}
        others={others}
      >
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
