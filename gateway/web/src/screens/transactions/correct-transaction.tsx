import { useState } from 'react'
import type { Transaction } from '../../api/budget-queries.ts'
import { useChange } from '../../api/changes.ts'
import { coffer } from '../../api/client.ts'
import { hintText, showNote } from '../../api/notes.ts'
import { amountFault } from '../../controls/amounts/amount-fault.ts'
import { AmountField } from '../../controls/amounts/amount-field.tsx'
import { DayField } from '../../controls/days/day-field.tsx'
import { Form } from '../../controls/form.tsx'
import { Card } from '../../controls/screen.tsx'
import { amountText, parseAmount } from '../../format/amount-input.ts'
import { dayOf, instantOf } from '../../format/days.ts'
import { useIsManual, useManner, useReader } from '../../shell/chosen-account.ts'
import { bulkWords } from '../../words/bulk.ts'
import { transactionWords as words } from '../../words/transactions.ts'

type Correction = Pick<Parameters<typeof coffer.correctTransaction>[0]['body'], 'amount' | 'date'>

/** Corrects amount or day of a manual transaction, and the balances with it. */
export function CorrectTransaction({ transaction }: { transaction: Transaction }) {
  const { bankAccountId, transactionId, amount, date, deletedAt } = transaction
  const reader = useReader()
  const { timezone } = reader
  const manner = useManner(bankAccountId)
  const isManual = useIsManual(bankAccountId)
  const [faults, setFaults] = useState<Record<string, string>>({})
  const { send, isSending, fault } = useChange((body: Correction) =>
    coffer.correctTransaction({ path: { bankAccountId, transactionId }, body }),
  )
  if (!isManual || deletedAt !== null) return null
  const submit = ({ amount: typed = '', date: day = '' }: Record<string, string>) => {
    const size = parseAmount(typed, manner)
    const found = {
      ...(size
        ? {}
        : { amount: amountFault(typed, { manner, example: 1_250, text: words.amountFault }) }),
      ...(day ? {} : { date: words.required }),
    }
    setFaults(found)
    if (!size || Object.keys(found).length > 0) return
    const wanted = amount < 0 ? -Math.abs(size) : Math.abs(size)
    const isOther = day !== dayOf(date, timezone)
    if (wanted === amount && !isOther) return
    const isResized = wanted !== amount
    const body = {
      ...(isResized ? { amount: wanted } : {}),
      ...(isOther ? { date: instantOf(day, timezone) } : {}),
    }
    const former = { ...(isResized ? { amount } : {}), ...(isOther ? { date } : {}) }
    send(body, (answer) => noteCorrected(transaction, { former, hint: hintText(answer) }))
  }
  const problems: Record<string, string> = { ...fault?.problems, ...faults }
  return (
    <Card title={words.correct}>
      <p>{words.correctText}</p>
      <Form
        key={`${amount} ${date}`}
        action={words.correctIt}
        isSending={isSending}
        fault={fault}
        problems={faults}
        onSubmit={submit}
      >
        <AmountField
          label={amount < 0 ? words.deposit : words.spend}
          name="amount"
          manner={manner}
          defaultValue={amountText(Math.abs(amount), manner)}
          fault={problems.amount}
        />
        <DayField
          label={words.date}
          name="date"
          reading={reader}
          defaultValue={dayOf(date, timezone)}
          ahead={words.future}
          fault={problems.date}
        />
      </Form>
    </Card>
  )
}

/** Says that a transaction is corrected, and offers to give it its former amount and day back. */
function noteCorrected(
  { bankAccountId, transactionId, name, originalName }: Transaction,
  { former, hint }: { former: Correction; hint: string },
): void {
  const path = { bankAccountId, transactionId }
  const text = `${words.created({ name: name ?? originalName })} ${hint}`
  const work = () => coffer.correctTransaction({ path, body: former })
  showNote({ text, act: { text: bulkWords.undo, work } })
}
