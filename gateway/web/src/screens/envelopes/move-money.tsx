import { useQuery } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { type BankAccountOverview, bankAccountOverviewQuery } from '../../api/account-queries.ts'
import { spendingQuery } from '../../api/budget-queries.ts'
import { useChange } from '../../api/changes.ts'
import { coffer } from '../../api/client.ts'
import { showNote } from '../../api/notes.ts'
import { amountFault } from '../../controls/amounts/amount-fault.ts'
import { AmountField } from '../../controls/amounts/amount-field.tsx'
import { Button } from '../../controls/button.tsx'
import { Dialog } from '../../controls/dialog.tsx'
import { ChoiceField } from '../../controls/field.tsx'
import formStyles from '../../controls/form.module.css'
import { Form } from '../../controls/form.tsx'
import { useMoneyText } from '../../controls/texts/money-text.ts'
import { amountText, parseAmount } from '../../format/amount-input.ts'
import type { Rest } from '../../format/debts.ts'
import { formatMoney } from '../../format/money.ts'
import { usePreferences } from '../../preferences/preferences.ts'
import { useManner, useRest } from '../../shell/chosen-account.ts'
import { envelopeWords as words } from '../../words/envelopes.ts'
import { homeWords } from '../../words/home.ts'
import { useFillUp } from './contribution.ts'
import { figureOf } from './free-card.tsx'

interface Props {
  bankAccountId: string
  /** Initially selected envelopes; null for free-to-use. */
  from?: string | null
  to?: string | null
  /** Initial amount in minor units; 0 for none. */
  missing?: number
  onClose: () => void
}

interface Transfer {
  fromSpendingId: string | null
  toSpendingId: string | null
  amount: number
}

/** Moves money between two envelopes, or between an envelope and free-to-use. */
export function MoveMoney({ bankAccountId, from: source, to: goal, ...props }: Props) {
  const { missing: lacked = 0, onClose } = props
  const manner = useManner(bankAccountId)
  const money = useMoneyText(manner)
  const { data: spending = [] } = useQuery(spendingQuery(bankAccountId))
  const balances = useQuery(bankAccountOverviewQuery(bankAccountId)).data?.balance
  const rest = useRest(bankAccountId)
  const place = restPlace(rest, balances)
  const [faults, setFaults] = useState<Record<string, string>>({})
  // An amount above free-to-use, about which the user is warned; submitting it again confirms it.
  const [warned, setWarned] = useState<number | null>(null)
  const { send, isSending, fault, reset } = useChange((body: Transfer) =>
    transfer(bankAccountId, body),
  )
  const nameOf = (id: string | null) =>
    spending.find(({ spendingId }) => spendingId === id)?.name ?? place.name
  const submit = ({ from = '', to = '', amount: typed = '' }: Record<string, string>) => {
    const amount = parseAmount(typed, manner) ?? 0
    const found = {
      ...(amount > 0
        ? {}
        : { amount: amountFault(typed, { manner, example: 2_500, text: words.amountFault }) }),
      ...(from === to ? { toSpendingId: words.sameFault } : {}),
    }
    const missing = from === '' && balances ? amount - balances.free : 0
    const isWarned = missing > 0 && warned !== amount
    const isFaulty = Object.keys(found).length > 0
    const warning = { overdrawn: words.overdrawn({ amount: money(missing), rest }) }
    setFaults(isWarned && !isFaulty ? warning : found)
    if (isFaulty) return
    setWarned(missing > 0 ? amount : null)
    if (isWarned) return
    const body = { fromSpendingId: from || null, toSpendingId: to || null, amount }
    send(body, () => {
      showMoved(
        bankAccountId,
        body,
        words.hasMoved({ amount: money(amount), from: nameOf(from), to: nameOf(to) }),
      )
      onClose()
    })
  }
  const forgetFaults = () => {
    setWarned(null)
    setFaults({})
    if (!isSending) reset()
  }
  const problems: Record<string, string> = { ...fault?.problems, ...faults }
  return (
    <Dialog title={words.move} isOpen onClose={onClose}>
      <Form
        action={warned ? words.movedAnyway : words.moved}
        isSending={isSending}
        fault={fault}
        problems={faults}
        onSubmit={submit}
        onEdit={forgetFaults}
        onCancel={onClose}
      >
        <Fields {...{ bankAccountId, source, goal, lacked, problems }} />
        {faults.overdrawn && (
          <p role="alert" className={formStyles.banner}>
            {faults.overdrawn}
          </p>
        )}
      </Form>
    </Dialog>
  )
}

interface FieldsProps {
  bankAccountId: string
  source: string | null | undefined
  goal: string | null | undefined
  lacked: number
  problems: Record<string, string>
}

function Fields({ bankAccountId, source, goal, lacked, problems }: FieldsProps) {
  const { areAmountsHidden } = usePreferences()
  const [chosen, setChosen] = useState<string | null>(null)
  const manner = useManner(bankAccountId)
  const money = useMoneyText(manner)
  const { data: spending = [] } = useQuery(spendingQuery(bankAccountId))
  const balances = useQuery(bankAccountOverviewQuery(bankAccountId)).data?.balance
  const rest = useRest(bankAccountId)
  const first = goal === undefined ? spending[0]?.spendingId : goal
  const to = chosen ?? first ?? ''
  const places = [
    { value: '', ...restPlace(rest, balances) },
    ...spending.map((one) => ({
      value: one.spendingId,
      name: one.name,
      amount: one.currentAmount,
    })),
  ].map(({ value, name, amount }) => ({
    value,
    // A hidden amount is a text in parentheses already.
    text: areAmountsHidden ? `${name} ${money(amount)}` : `${name} (${money(amount)})`,
  }))
  return (
    <>
      <ChoiceField
        // Keyed, because the options load after the dialog opens: a new key applies the default
        // value.
        key={spending.length}
        label={words.from}
        name="from"
        defaultValue={source ?? ''}
        options={places}
        fault={problems.fromSpendingId}
      />
      <ChoiceField
        label={words.to}
        name="to"
        value={to}
        onChange={setChosen}
        options={places}
        fault={problems.toSpendingId}
      />
      <AmountToMove {...{ bankAccountId, to, lacked }} fault={problems.amount} />
    </>
  )
}

interface AmountProps {
  bankAccountId: string
  /** ID of the envelope that gets the money, empty for free-to-use. */
  to: string
  lacked: number
  fault: string | undefined
}

/** The amount, with a button that fills in what an envelope that is behind lacks. */
function AmountToMove({ bankAccountId, to, lacked, fault }: AmountProps) {
  const { areAmountsHidden } = usePreferences()
  const manner = useManner(bankAccountId)
  const { data: spending = [] } = useQuery(spendingQuery(bankAccountId))
  const fillUp = useFillUp(bankAccountId)
  const input = useRef<HTMLInputElement>(null)
  const [typed, setTyped] = useState<string | null>(null)
  const initial = lacked > 0 ? amountText(lacked, manner) : ''
  const envelope = spending.find(({ spendingId }) => spendingId === to)
  const amount = envelope && !areAmountsHidden ? fillUp(envelope) : 0
  const isOffered = amount > 0 && parseAmount(typed ?? initial, manner) !== amount
  const fill = () => {
    const field = input.current
    field?.setRangeText(amountText(amount, manner), 0, field.value.length, 'end')
    field?.dispatchEvent(new Event('input', { bubbles: true }))
    field?.focus()
  }
  return (
    <div>
      <AmountField
        ref={input}
        label={words.amount}
        name="amount"
        manner={manner}
        defaultValue={initial}
        fault={fault}
        onChange={(event) => setTyped(event.target.value)}
      />
      {isOffered && (
        <Button kind="quiet" onClick={fill}>
          {words.fillUp({ amount: formatMoney(amount, manner) })}
        </Button>
      )}
    </div>
  )
}

/** Returns name and amount of the money outside envelopes. */
function restPlace(rest: Rest, balances: BankAccountOverview['balance'] | undefined) {
  if (rest !== 'credit') return figureOf(rest, balances)
  return { name: homeWords.credit, amount: balances?.free ?? 0 }
}

function transfer(bankAccountId: string, body: Transfer) {
  return coffer.transferBetweenEnvelopes({ path: { bankAccountId }, body })
}

/** Shows a note about a transfer, with an undo that moves the money back. */
function showMoved(bankAccountId: string, body: Transfer, text: string): void {
  const { fromSpendingId, toSpendingId, amount } = body
  const back = { fromSpendingId: toSpendingId, toSpendingId: fromSpendingId, amount }
  showNote({ text, act: { text: words.undo, work: () => transfer(bankAccountId, back) } })
}
