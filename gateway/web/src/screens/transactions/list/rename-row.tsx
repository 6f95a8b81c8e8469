import { type KeyboardEvent, useState } from 'react'
import type { Transaction } from '../../../api/budget-queries.ts'
import { useChange } from '../../../api/changes.ts'
import { coffer } from '../../../api/client.ts'
import { leaveEntries } from '../../../controls/entries/entries.ts'
import { TextField } from '../../../controls/field.tsx'
import { Form } from '../../../controls/form.tsx'
import { transactionWords as words } from '../../../words/transactions.ts'
import styles from '../transactions.module.css'

interface Props {
  transaction: Transaction
  onClose: () => void
}

/** Name and note of a transaction, changed in its row. */
export function RenameRow({ transaction, onClose }: Props) {
  const { bankAccountId, transactionId, originalName, notes } = transaction
  const name = transaction.name ?? originalName
  const [typed, setTyped] = useState({ name, notes: notes ?? '' })
  const { send, isSending, fault } = useChange(() => {
    const body = {
      ...(typed.name === name ? {} : { name: typed.name }),
      ...(typed.notes === (notes ?? '') ? {} : { notes: typed.notes || null }),
    }
    return coffer.updateTransaction({ path: { bankAccountId, transactionId }, body })
  })
  const close = ({ key, target }: KeyboardEvent) => {
    if (key === 'Escape') leaveEntries((target as HTMLElement).closest('form'), onClose)
  }
  return (
    <div className={styles.rename}>
      <Form
        action={words.save}
        isSending={isSending}
        fault={fault}
        onSubmit={() => send(undefined, onClose)}
        onCancel={onClose}
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
