import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { overviewQuery } from '../../api/account-queries.ts'
import { spendingQuery } from '../../api/budget-queries.ts'
import { useMoneyText } from '../../controls/texts/money-text.ts'
import { useManner } from '../../shell/chosen-account.ts'
import { homeWords } from '../../words/home.ts'
import { findCardDebts } from './card-debts.ts'
import styles from './home.module.css'

/** Debts of cards that free-to-use has to pay, because no envelope is for them. */
export function OwedOnCards({ bankAccountId }: { bankAccountId: string }) {
  const { data: overview } = useQuery(overviewQuery)
  const { data: envelopes } = useQuery(spendingQuery(bankAccountId))
  const money = useMoneyText(useManner(bankAccountId))
  if (overview === undefined || envelopes === undefined) return null
  const accounts = overview.bankAccounts.map(({ bankAccount }) => bankAccount)
  const paidIds = overview.paydays.map((one) => one.bankAccountId)
  const debts = findCardDebts(bankAccountId, { accounts, paidIds, envelopes })
  return debts.map(({ card, owed, held }) => (
    <p key={card.bankAccountId} className={styles.soft}>
      {homeWords.owedOnCard({
        name: card.name,
        amount: money(owed),
        isHeld: held > 0,
        held: money(held),
        rest: money(owed - held),
      })}{' '}
      <Link to="/help/$page" params={{ page: 'cards' }}>
        {homeWords.seeCards}
      </Link>
    </p>
  ))
}
