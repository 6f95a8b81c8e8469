import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { type Spending, spendingQuery, type Transaction } from '../../api/budget-queries.ts'
import { provenanceQuery } from '../../api/rule-queries.ts'
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
      return [words.refund, to?.name ?? words.noRefund]
    },
    take: (present) => setTags(present.tags ?? []),
  })
  const { isWaiting, isKnown } = useIsWaiting(shown)
  const { name, notes } = textsOf(shown)
  const former = envelopeOf(shown)
  return (
    <Form key={taken} {...form} onSubmit={(values) => send(values)}>
      <TextField label={words.name} name="name" defaultValue={name} fault={fault?.problems.name} />
      <ChoiceField
        key={`${spending.length} ${former} ${isWaiting}`}
        label={shown.amount > 0 ? words.envelope : words.refund}
        name="spendingId"
        // Disabled until `isWaiting` is known: it changes the key of the field, which would reset a
        // choice that the user has made before.
        disabled={!isKnown}
        defaultValue={former ?? ''}
        options={choicesOf(spending, { amount: shown.amount, isWaiting, rest })}
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

/** Returns whether a payment waits until the user chooses an envelope or none. */
function useIsWaiting({ bankAccountId, transactionId, amount, spendingId }: Transaction) {
  const { data, isPending } = useQuery(provenanceQuery(bankAccountId, transactionId))
  const marks = data?.provenance ?? []
  const isChosen = marks.some(({ field, by }) => field === 'spendingId' && by === 'user')
  const isWaiting = data !== undefined && amount > 0 && spendingId === null && !isChosen
  return { isWaiting, isKnown: !isPending }
}

type Kind = { amount: number; isWaiting: boolean; rest: Rest }

function choicesOf(spending: Spending[], { amount, isWaiting, rest }: Kind) {
  const envelopes = spending.map((one) => ({ value: one.spendingId, text: one.name }))
  if (amount <= 0) return [{ value: '', text: words.noRefund }, ...envelopes]
  const free = { value: isWaiting ? leftFree : '', text: forecastWords.rests[rest] }
  const later = isWaiting ? [{ value: '', text: words.decideLater }] : []
  return [...later, free, ...envelopes]
}
