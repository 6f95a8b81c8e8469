import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { spendingQuery, type Transaction } from '../../api/budget-queries.ts'
import { useChange } from '../../api/changes.ts'
import { coffer } from '../../api/client.ts'
import { showNote } from '../../api/notes.ts'
import { amountFault } from '../../controls/amounts/amount-fault.ts'
import { AmountField } from '../../controls/amounts/amount-field.tsx'
import { noteAssigned } from '../../controls/assignments/assignments.ts'
import { DayField } from '../../controls/days/day-field.tsx'
import { Dialog } from '../../controls/dialog.tsx'
import { CheckField, ChoiceField, TextField } from '../../controls/field.tsx'
import { Form } from '../../controls/form.tsx'
import { TagField } from '../../controls/tag-field.tsx'
import { useMoneyText } from '../../controls/texts/money-text.ts'
import { parseAmount } from '../../format/amount-input.ts'
import { instantOf } from '../../format/days.ts'
import { isOverdrawn } from '../../format/debts.ts'
import { useManner, useReader, useRest } from '../../shell/chosen-account.ts'
import { useAccountNames } from '../../shell/distinct-names.ts'
import { bulkWords } from '../../words/bulk.ts'
import { forecastWords } from '../../words/forecast.ts'
import { frameWords } from '../../words/frame.ts'
import { leftFree, transactionWords as words } from '../../words/transactions.ts'
import styles from './new-transaction.module.css'
import { useOverdrawnNote } from './overdrawn-note.ts'

interface Props {
  bankAccountId: string
  onClose: () => void
}

type Body = Parameters<typeof coffer.createTransaction>[0]['body']

interface Wanted {
  body: Body
  isLeftFree: boolean
}

/** Creates a transaction by hand. The user chooses spent or received, and types no sign. */
export function NewTransaction({ bankAccountId, onClose }: Props) {
  const reader = useReader()
  const manner = useManner(bankAccountId)
  const money = useMoneyText(manner)
  const { data: spending = [] } = useQuery(spendingQuery(bankAccountId))
  const rest = useRest(bankAccountId)
  const [tags, setTags] = useState<string[]>([])
  const [isDeposit, setDeposit] = useState(false)
  const [faults, setFaults] = useState<Record<string, string>>({})
  const noteOverdrawn = useOverdrawnNote(bankAccountId)
  const { send, isSending, fault } = useChange(({ body, isLeftFree }: Wanted) =>
    create(bankAccountId, body, isLeftFree),
  )
  const submit = ({
    name = '',
    amount: typed = '',
    date = '',
    ...more
  }: Record<string, string>) => {
    const amount = parseAmount(typed, manner)
    const found = {
      ...(name.trim() ? {} : { name: words.required }),
      ...(amount
        ? {}
        : { amount: amountFault(typed, { manner, example: 1_250, text: words.amountFault }) }),
      ...(date ? {} : { date: words.required }),
    }
    setFaults(found)
    if (!amount || Object.keys(found).length > 0) return
    const { spendingId, notes, adjustsBalance, isPending, appliesRules } = more
    const isLeftFree = spendingId === leftFree
    const body = {
      name,
      amount: isDeposit ? -Math.abs(amount) : Math.abs(amount),
      date: instantOf(date, reader.timezone),
      adjustsBalance: adjustsBalance === 'on',
      isPending: isPending === 'on',
      appliesRules: appliesRules === 'on',
      ...(spendingId && !isLeftFree
        ? { [isDeposit ? 'refundSpendingId' : 'spendingId']: spendingId }
        : {}),
      ...(notes ? { notes } : {}),
      ...(tags.length > 0 ? { tags } : {}),
    }
    send({ body, isLeftFree }, ({ data: { transaction, balance, hints } }) => {
      if (!hints) noteCreated(transaction)
      if (!isDeposit && isOverdrawn(balance)) noteOverdrawn(money(balance.free))
      else noteAssigned(transaction, { spending, money, reader, rest })
      onClose()
    })
  }
  const problems: Record<string, string> = { ...fault?.problems, ...faults }
  return (
    <Dialog title={words.addTitle} isOpen onClose={onClose}>
      <Form
        action={words.save}
        isSending={isSending}
        fault={fault}
        problems={faults}
        onSubmit={submit}
        onCancel={onClose}
      >
        <Kinds isDeposit={isDeposit} onChange={setDeposit} />
        <Fields bankAccountId={bankAccountId} isDeposit={isDeposit} problems={problems}>
          <TagField tags={tags} onChange={setTags} fault={problems.tags} />
        </Fields>
      </Form>
    </Dialog>
  )
}

/** Creates a transaction. With `isLeftFree`, it does not wait for the choice of an envelope. */
async function create(bankAccountId: string, body: Body, isLeftFree: boolean) {
  const created = await coffer.createTransaction({ path: { bankAccountId }, body })
  const { transactionId } = created.data.transaction
  const path = { bankAccountId, transactionId }
  // Errors are ignored: after an error the user would send the form again, and create the
  // transaction twice.
  if (isLeftFree) {
    await coffer.updateTransaction({ path, body: { spendingId: null } }).catch(() => null)
  }
  return created
}

/** Shows a note about a new transaction, with an undo that deletes it and restores the balance. */
function noteCreated({ bankAccountId, transactionId, name, originalName }: Transaction) {
  const path = { bankAccountId, transactionId }
  const work = () => coffer.deleteTransaction({ path, query: { adjusts_balance: true } })
  const text = words.created({ name: name ?? originalName })
  showNote({ text, act: { text: bulkWords.undo, work } })
}

/** Names the bank account where there are several. */
function OfAccount({ bankAccountId }: Pick<Props, 'bankAccountId'>) {
  const names = useAccountNames()
  if (names.size < 2) return null
  return (
    <p>
      {frameWords.account}: {names.get(bankAccountId)}
    </p>
  )
}

interface FieldsProps {
  bankAccountId: string
  isDeposit: boolean
  problems: Record<string, string>
  /** Fields above the note. */
  children: ReactNode
}

function Fields({ bankAccountId, isDeposit, problems, children }: FieldsProps) {
  const reader = useReader()
  const manner = useManner(bankAccountId)
  const { data: spending = [] } = useQuery(spendingQuery(bankAccountId))
  const rest = useRest(bankAccountId)
  return (
    <>
      <OfAccount bankAccountId={bankAccountId} />
      <TextField label={words.name} name="name" fault={problems.name} />
      <AmountField label={words.amount} name="amount" manner={manner} fault={problems.amount} />
      <DayField
        label={words.date}
        name="date"
        reading={reader}
        defaultValue={reader.today}
        ahead={words.future}
        fault={problems.date}
      />
      <ChoiceField
        label={isDeposit ? words.refund : words.envelope}
        name="spendingId"
        options={[
          { value: '', text: isDeposit ? words.noRefund({ rest }) : words.decideLater },
          ...(isDeposit ? [] : [{ value: leftFree, text: forecastWords.rests[rest] }]),
          ...spending.map((one) => ({ value: one.spendingId, text: one.name })),
        ]}
        fault={problems.spendingId ?? problems.refundSpendingId}
      />
      {children}
      <TextField label={words.note} name="notes" fault={problems.notes} />
      <CheckField label={words.adjusts} name="adjustsBalance" defaultChecked />
      <CheckField label={words.isPending} name="isPending" />
      <CheckField label={words.appliesRules} name="appliesRules" />
    </>
  )
}

interface KindsProps {
  isDeposit: boolean
  onChange: (isDeposit: boolean) => void
}

function Kinds({ isDeposit, onChange }: KindsProps) {
  return (
    <fieldset className={styles.kinds} aria-label={words.kind}>
      {[false, true].map((one) => (
        <label key={String(one)}>
          <input
            type="radio"
            name="kind"
            checked={one === isDeposit}
            onChange={() => onChange(one)}
          />
          {one ? words.deposit : words.spend}
        </label>
      ))}
    </fieldset>
  )
}
