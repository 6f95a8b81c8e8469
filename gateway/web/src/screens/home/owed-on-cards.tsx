import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { overviewQuery } from '../../api/account-queries.ts'
import { paymentQuery, spendingQuery } from '../../api/budget-queries.ts'
import { useMoneyText } from '../../controls/texts/money-text.ts'
import { dayAfter, dayOf, formatShortDay } from '../../format/days.ts'
import { useManner, useReader } from '../../shell/chosen-account.ts'
import { homeWords } from '../../words/home.ts'
import { findCardDebts } from './card-debts.ts'
import styles from './home.module.css'

/** Days in which a payment of the amount that a card owes may be on its way to the card. */
const transferDays = 10

/** Debts of cards that free-to-use has to pay, because no envelope is for them. */
export function OwedOnCards({ bankAccountId }: { bankAccountId: string }) {
  const { data: overview } = useQuery(overviewQuery)
  const { data: envelopes } = useQuery(spendingQuery(bankAccountId))
  if (overview === undefined || envelopes === undefined) return null
  const accounts = overview.bankAccounts.map(({ bankAccount }) => bankAccount)
  const paidIds = overview.paydays.map((one) => one.bankAccountId)
  const debts = findCardDebts(bankAccountId, { accounts, paidIds, envelopes })
  return debts.map(({ card, owed, held }) => (
    <p key={card.bankAccountId} className={styles.soft}>
      <Debt bankAccountId={bankAccountId} name={card.name} owed={owed} held={held} />{' '}
      <Link to="/help/$page" params={{ page: 'cards' }}>
        {homeWords.seeCards}
      </Link>
    </p>
  ))
}

interface DebtProps {
  bankAccountId: string
  name: string
  owed: number
  held: number
}

/**
 * Says which part of a debt free-to-use pays; after a payment of the same amount, that it may be
 * for the card, on which it is a transaction of its own.
 */
function Debt({ bankAccountId, name, owed, held }: DebtProps) {
  const reader = useReader()
  const money = useMoneyText(useManner(bankAccountId))
  const from = dayAfter(reader.today, -transferDays)
  const { data } = useQuery(paymentQuery(bankAccountId, { from, amount: owed }))
  const amount = money(owed)
  // Until it is known whether such a payment exists, neither text would be right.
  if (data === undefined) return null
  const [paid] = data
  if (paid !== undefined) {
    const day = formatShortDay(dayOf(paid.date, reader.timezone), reader)
    return homeWords.owedPaid({ name, amount, day })
  }
  const isHeld = held > 0
  return homeWords.owedOnCard({ name, amount, isHeld, held: money(held), rest: money(owed - held) })
}
