import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { type Spending, spendingQuery, type Transaction } from '../../api/budget-queries.ts'
import { useChange } from '../../api/changes.ts'
import { coffer } from '../../api/client.ts'
import { provenanceQuery } from '../../api/rule-queries.ts'
import { tagChanges } from '../../api/tag-queries.ts'
import { assign } from '../../controls/assignments/assignments.ts'
import { ChoiceField, TextField } from '../../controls/field.tsx'
import { Form } from '../../controls/form.tsx'
import { TagField } from '../../controls/tag-field.tsx'
import { useMoneyText } from '../../controls/texts/money-text.ts'
import type { Rest } from '../../format/debts.ts'
import { useManner, useReader, useRest } from '../../shell/chosen-account.ts'
import { forecastWords } from '../../words/forecast.ts'
import { leftFree, transactionWords as words } from '../../words/transactions.ts'

/** Name, envelope, tags and note of a transaction. The name of the bank is kept beside. */
export function EditTransaction({ transaction }: { transaction: Transaction }) {
  const { bankAccountId, transactionId, amount, originalName, notes } = transaction
  const reader = useReader()
  const money = useMoneyText(useManner(bankAccountId))
  const rest = useRest(bankAccountId)
  const name = transaction.name ?? originalName
  const formerTags = transaction.tags ?? []
  const [tags, setTags] = useState(formerTags)
  const { data: spending = [] } = useQuery(spendingQuery(bankAccountId))
  const { isWaiting, isKnown } = useIsWaiting(transaction)
  const former = amount > 0 ? transaction.spendingId : transaction.refundSpendingId
  const { send, isSending, fault } = useChange(async (values: Record<string, string>) => {
    const { spendingId = former ?? '', ...texts } = values
    const isMoved = spendingId !== (former ?? '')
    const body = {
      ...(texts.name === name ? {} : { name: texts.name }),
      ...(texts.notes === (notes ?? '') ? {} : { notes: texts.notes || null }),
      ...(isMoved && amount <= 0 ? { refundSpendingId: spendingId || null } : {}),
      ...tagChanges(formerTags, tags),
    }
    const path = { bankAccountId, transactionId }
    if (Object.keys(body).length > 0) await coffer.updateTransaction({ path, body })
    if (!isMoved || amount <= 0) return
    const envelope = spending.find((one) => one.spendingId === spendingId) ?? null
    await assign({ transaction, envelope, money, reader, rest })
  })
  return (
    <Form
      action={words.save}
      isSending={isSending}
      fault={fault}
      onSubmit={(values) => send(values)}
    >
      <TextField label={words.name} name="name" defaultValue={name} fault={fault?.problems.name} />
      <ChoiceField
        key={`${spending.length} ${former} ${isWaiting}`}
        label={amount > 0 ? words.envelope : words.refund}
        name="spendingId"
        // A choice made before it is known would be lost with the former key.
        disabled={!isKnown}
        defaultValue={former ?? ''}
        options={choicesOf(spending, { amount, isWaiting, rest })}
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
        defaultValue={notes ?? ''}
        fault={fault?.problems.notes}
      />
    </Form>
  )
}

/** Returns whether a payment waits for the choice of an envelope, or of none. */
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
