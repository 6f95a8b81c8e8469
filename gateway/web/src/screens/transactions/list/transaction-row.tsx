import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Pencil } from 'lucide-react'
import { useState } from 'react'
import { bankAccountsQuery } from '../../../api/account-queries.ts'
import type { Spending, Transaction } from '../../../api/budget-queries.ts'
import { useChange } from '../../../api/changes.ts'
import { Amount } from '../../../controls/amount.tsx'
import { assign } from '../../../controls/assignments/assignments.ts'
import { FaultBanner } from '../../../controls/form.tsx'
import { Tags } from '../../../controls/tag-field.tsx'
import { useMoneyText } from '../../../controls/texts/money-text.ts'
import type { Manner } from '../../../format/currency.ts'
import { useIsDebt, useReader, useRest } from '../../../shell/chosen-account.ts'
import { bulkWords } from '../../../words/bulk.ts'
import { forecastWords } from '../../../words/forecast.ts'
import { homeWords } from '../../../words/home.ts'
import { leftFree, transactionWords as words } from '../../../words/transactions.ts'
import styles from '../transactions.module.css'
import { RenameRow } from './rename-row.tsx'
import { isWaiting, lineBelow } from './row-texts.ts'
import ticks from './tick-box.module.css'
import { isTransfer } from './transfer.ts'

interface Props {
  transaction: Transaction
  spending: Spending[]
  manner: Manner
  /** Whether the row is selected; null while no selection is active. */
  isSelected: boolean | null
  toggle: (transaction: Transaction) => void
}

/** A transaction: its name links to the details, its envelope can be changed in the row. */
export function TransactionRow({ transaction, spending, manner, isSelected, toggle }: Props) {
  const { amount, originalName, refundSpendingId } = transaction
  const reader = useReader()
  const money = useMoneyText(manner)
  const rest = useRest(transaction.bankAccountId)
  const [isRenaming, setRenaming] = useState(false)
  const name = transaction.name ?? originalName
  const { send, isSending, fault } = useChange(assign)
  const choose = (value: string) =>
    send({
      transaction,
      envelope: spending.find((one) => one.spendingId === value) ?? null,
      money,
      reader,
      rest,
    })
  const refunded = spending.find((one) => one.spendingId === refundSpendingId)
  const below = lineBelow(transaction)
  const isAssignable = amount > 0 && transaction.deletedAt === null
  return (
    <div className={ticks.selectable}>
      {isSelected !== null && (
        <label className={ticks.target}>
          <input
            type="checkbox"
            aria-label={bulkWords.one({ name })}
            checked={isSelected}
            onChange={() => toggle(transaction)}
          />
        </label>
      )}
      <div className={styles.row}>
        <div className={styles.what}>
          <Name
            transaction={transaction}
            isRenaming={isRenaming}
            rename={() => setRenaming(!isRenaming)}
          />
          {transaction.tags && <Tags tags={transaction.tags} />}
          {below && <p className={styles.soft}>{below}</p>}
        </div>
        {isAssignable ? (
          <Assign
            transaction={transaction}
            spending={spending}
            isDisabled={isSending}
            choose={choose}
          />
        ) : (
          <span className={styles.soft}>
            {refunded?.name}
            {amount < 0 && !refundSpendingId && <Income transaction={transaction} />}
          </span>
        )}
        <span className={styles.amount}>
          <Amount amount={amount} manner={manner} as="flow" />
        </span>
      </div>
      {isRenaming && <RenameRow transaction={transaction} onClose={() => setRenaming(false)} />}
      {fault && <FaultBanner fault={fault} />}
    </div>
  )
}

interface AssignProps extends Pick<Props, 'transaction' | 'spending'> {
  isDisabled: boolean
  choose: (value: string) => void
}

/** Choice of an envelope, or of none for a payment that waits for one. */
function Assign({ transaction, spending, isDisabled, choose }: AssignProps) {
  const name = transaction.name ?? transaction.originalName
  const rest = useRest(transaction.bankAccountId)
  const waits = spending.length > 0 && isWaiting(transaction)
  return (
    <select
      data-waiting={waits || undefined}
      aria-label={words.assign({ name })}
      value={transaction.spendingId ?? ''}
      disabled={isDisabled}
      onChange={(event) => choose(event.target.value)}
    >
      <option value="">{waits ? words.waiting : forecastWords.rests[rest]}</option>
      {waits && <option value={leftFree}>{homeWords.leaveFree({ rest })}</option>}
      {spending.map((one) => (
        <option key={one.spendingId} value={one.spendingId}>
          {one.name}
        </option>
      ))}
    </select>
  )
}

/** Label of a deposit: income, or a transfer from another account of the user. */
function Income({ transaction }: Pick<Props, 'transaction'>) {
  const { data: accounts = [] } = useQuery(bankAccountsQuery)
  const isOfDebt = useIsDebt(transaction.bankAccountId)
  const others = accounts.filter((one) => one.bankAccountId !== transaction.bankAccountId)
  const names = others.map((one) => one.name)
  if (isTransfer(transaction, names)) return words.transfer
  return isOfDebt ? words.repayment : words.income
}

interface NameProps {
  transaction: Transaction
  isRenaming: boolean
  rename: () => void
}

/** The name, which links to the details, and a button that edits it in the row. */
function Name({ transaction, isRenaming, rename }: NameProps) {
  const { bankAccountId, transactionId, originalName, deletedAt } = transaction
  const name = transaction.name ?? originalName
  return (
    <div className={styles.named}>
      <Link
        data-line={transactionId}
        to="/transactions/$transactionId"
        params={{ transactionId }}
        search={{ account: bankAccountId }}
      >
        {name}
      </Link>
      {deletedAt === null && (
        <button
          type="button"
          data-rename
          aria-label={words.rename({ name })}
          aria-expanded={isRenaming}
          onClick={rename}
        >
          <Pencil size={14} aria-hidden />
        </button>
      )}
    </div>
  )
}
