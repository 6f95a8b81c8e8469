import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { type Spending, spendingQuery, type Transaction } from '../../api/budget-queries.ts'
import { tagChanges } from '../../api/tag-queries.ts'
import { assign } from '../../controls/assignments/assignments.ts'
import { ChoiceField, TextField } from '../../controls/field.tsx'
import { Form } from '../../controls/form.tsx'
import type { Saved } from '../../controls/saving/as-read.ts'
import { type States, useSaving } from '../../controls/saving/saving.tsx'
import { TagField } from '../../controls/tag-field.tsx'
import { useMoneyText } from '../../controls/texts/money-text.ts'
import type { Rest } from '../../format/debts.ts'
import { useManner, useReader, useRest } from '../../shell/chosen-account.ts'
import { forecastWords } from '../../words/forecast.ts'
import { leftFree, transactionWords as words } from '../../words/transactions.ts'
import { isWaiting } from './list/row-texts.ts'
import { fieldText, saveTexts, textChange, textsOf } from './saved-texts.ts'

/** Name, envelope, tags and note of a transaction. The bank's name for it stays stored too. */
export function EditTransaction({ transaction }: { transaction: Transaction }) {
  const [tags, setTags] = useState(transaction.tags ?? [])
  const { data: spending = [] } = useQuery(spendingQuery(transaction.bankAccountId))
  const rest = useRest(transaction.bankAccountId)
  const { shown, taken, send, fault, form } = useSaving({
    subject: transaction,
    isLive: true,
    action: words.save,
    save: useSave(transaction.bankAccountId, { spending, tags }),
    sayField: (field, present) => {
      if (field !== 'refundSpendingId') return fieldText(field, present)
      const to = spending.find(({ spendingId }) => spendingId === present.refundSpendingId)
      return [words.refund, to?.name ?? words.noRefund({ rest })]
    },
    take: (present) => setTags(present.tags ?? []),
  })
  const { name, notes } = textsOf(shown)
  const former = envelopeOf(shown)
  return (
    <Form key={taken} {...form} onSubmit={(values) => send(values)}>
      <TextField label={words.name} name="name" defaultValue={name} fault={fault?.problems.name} />
      <ChoiceField
        key={`${spending.length} ${former} ${isWaiting(shown)}`}
        label={shown.amount > 0 ? words.envelope : words.refund}
        name="spendingId"
        defaultValue={former ?? ''}
        options={choicesOf(spending, shown, rest)}
        fault={fault?.problems.spendingId ?? fault?.problems.refundSpendingId}
      />
      <TagField
        tags={tags}
        onChange={setTags}
        fault={fault?.problems.tags ?? fault?.problems.addTags}
      />
      <TextField
        label={words.note}
        name="notes"
        defaultValue={notes}
        fault={fault?.problems.notes}
      />
    </Form>
  )
}

/** Returns the ID of the envelope that pays a payment or receives a refund. */
function envelopeOf({ amount, spendingId, refundSpendingId }: Transaction) {
  return amount > 0 ? spendingId : refundSpendingId
}

interface Edited {
  spending: Spending[]
  tags: string[]
}

/** Returns a function that saves the values of the form. */
function useSave(bankAccountId: string, { spending, tags }: Edited) {
  const reader = useReader()
  const money = useMoneyText(useManner(bankAccountId))
  const rest = useRest(bankAccountId)
  return async (
    values: Record<string, string>,
    { shown, seen }: States<Transaction>,
  ): Promise<Saved<Transaction>> => {
    const former = envelopeOf(shown) ?? ''
    const { spendingId = former, ...texts } = values
    const isMoved = spendingId !== former
    const body = {
      ...textChange({ ...textsOf(shown), ...texts }, shown),
      ...(isMoved && shown.amount <= 0 ? { refundSpendingId: spendingId || null } : {}),
      ...tagChanges(shown.tags ?? [], tags),
    }
    const saved = Object.keys(body).length > 0 ? await saveTexts(body, seen) : {}
    if (saved.conflict || !isMoved || shown.amount <= 0) return saved
    const envelope = spending.find((one) => one.spendingId === spendingId) ?? null
    await assign({ transaction: shown, envelope, money, reader, rest })
    return saved
  }
}

function choicesOf(spending: Spending[], of: Transaction, rest: Rest) {
  const envelopes = spending.map((one) => ({ value: one.spendingId, text: one.name }))
  if (of.amount <= 0) return [{ value: '', text: words.noRefund({ rest }) }, ...envelopes]
  const free = { value: isWaiting(of) ? leftFree : '', text: forecastWords.rests[rest] }
  const later = isWaiting(of) ? [{ value: '', text: words.decideLater }] : []
  return [...later, free, ...envelopes]
}
