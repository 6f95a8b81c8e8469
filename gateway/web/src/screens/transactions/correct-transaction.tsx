import { useState } from 'react'
import type { Transaction } from '../../api/budget-queries.ts'
import { useChange } from '../../api/changes.ts'
import { coffer } from '../../api/client.ts'
import { hintText, showNote } from '../../api/notes.ts'
import { amountFault } from '../../controls/amounts/amount-fault.ts'
import { AmountField } from '../../controls/amounts/amount-field.tsx'
import { DayField } from '../../controls/days/day-field.tsx'
import { CheckField } from '../../controls/field.tsx'
import { Form } from '../../controls/form.tsx'
import { Card } from '../../controls/screen.tsx'
import { amountText, parseAmount } from '../../format/amount-input.ts'
import { dayOf, instantOf } from '../../format/days.ts'
import { useIsManual, useManner, useReader } from '../../shell/chosen-account.ts'
import { bulkWords } from '../../words/bulk.ts'
import { transactionWords as words } from '../../words/transactions.ts'
import { useHeld } from './remove-transaction.tsx'

type Correction = Pick<Parameters<typeof coffer.correctTransaction>[0]['body'], 'amount' | 'date'>

/**
 * Corrects amount or day of a manual transaction, and the balances with it unless one was stated
 * since.
 */
export function CorrectTransaction({ transaction }: { transaction: Transaction }) {
  const { bankAccountId, amount, date, deletedAt } = transaction
  const reader = useReader()
  const { timezone } = reader
  const manner = useManner(bankAccountId)
  const isManual = useIsManual(bankAccountId)
  const [faults, setFaults] = useState<Record<string, string>>({})
  const { hasMoved, isStated } = useHeld(transaction)
  const [choice, setMoving] = useState<boolean | null>(null)
  const isMoving = choice ?? !isStated
  const { send, isSending, fault } = useChange((body: Correction) =>
    correct(transaction, body, { isMoving }),
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
    const isResized = wanted !== amount
    if (!isResized && !isOther) return
    const body = {
      ...(isResized ? { amount: wanted } : {}),
      ...(isOther ? { date: instantOf(day, timezone) } : {}),
    }
    const former = { ...(isResized ? { amount } : {}), ...(isOther ? { date } : {}) }
    send(body, (answer) => noteCorrected(transaction, { former, isMoving, hint: hintText(answer) }))
  }
  const problems: Record<string, string> = { ...fault?.problems, ...faults }
  return (
    <Card title={words.correct}>
      <p>{hasMoved && isStated ? words.removeStated : words.correctText}</p>
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
        {hasMoved && <Moves isMoving={isMoving} onChange={setMoving} />}
      </Form>
    </Card>
  )
}

/** Asks whether the balance moves by the difference. */
function Moves({
  isMoving,
  onChange,
}: {
  isMoving: boolean
  onChange: (isMoving: boolean) => void
}) {
  return (
    <CheckField
      label={words.correctMoves}
      checked={isMoving}
      onChange={(event) => onChange(event.target.checked)}
    />
  )
}

/** Sends a correction; without `isMoving` as a PATCH, which moves no balance. */
function correct(
  { bankAccountId, transactionId }: Transaction,
  body: Correction,
  { isMoving }: { isMoving: boolean },
) {
  const path = { bankAccountId, transactionId }
  return isMoving
    ? coffer.correctTransaction({ path, body })
    : coffer.updateTransaction({ path, body })
}

/** Says that a transaction is corrected, and offers to give it its former amount and day back. */
function noteCorrected(
  transaction: Transaction,
  { former, isMoving, hint }: { former: Correction; isMoving: boolean; hint: string },
): void {
  const { name, originalName } = transaction
  // Without the tick, the hint that the balance is as before says nothing new.
  const text = `${words.created({ name: name ?? originalName })} ${isMoving ? hint : ''}`
  const work = () => correct(transaction, former, { isMoving })
  showNote({ text, act: { text: bulkWords.undo, work } })
}
