import type { Transaction } from '../../api/budget-queries.ts'
import { coffer } from '../../api/client.ts'
import { type Saved, updateAsRead } from '../../controls/saving/as-read.ts'
import { transactionWords as words } from '../../words/transactions.ts'

/** Name and note of a transaction, as form values. */
export interface Texts {
  name: string
  notes: string
}

export type TextChange = { name?: string; notes?: string | null }

export function textsOf({ name, originalName, notes }: Transaction): Texts {
  return { name: name ?? originalName, notes: notes ?? '' }
}

/** Returns the changes between the texts of a form and the shown transaction. */
export function textChange({ name, notes }: Texts, shown: Transaction): TextChange {
  const former = textsOf(shown)
  return {
    ...(name === former.name ? {} : { name }),
    ...(notes === former.notes ? {} : { notes: notes || null }),
  }
}

/** Updates a transaction, unless others have changed the same fields since it was seen. */
export function saveTexts<Body extends TextChange>(
  body: Body,
  seen: Transaction,
): Promise<Saved<Transaction>> {
  const { bankAccountId, transactionId } = seen
  const path = { bankAccountId, transactionId }
  return updateAsRead({
    seen,
    body,
    read: () => coffer.getTransaction({ path }),
    update: (changed, condition) => coffer.updateTransaction({ path, body: changed, ...condition }),
  })
}

/** Returns label and text of a field of a transaction, as the form shows it. */
export function fieldText(field: string, of: Transaction): [label: string, text: string] {
  const { name, notes } = textsOf(of)
  return field === 'notes' ? [words.note, notes] : [words.name, name]
}
