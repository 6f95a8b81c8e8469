import { queryOptions, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { Spending } from '../../api/budget-queries.ts'
import { coffer } from '../../api/client.ts'
import { Amount } from '../../controls/amount.tsx'
import { Asked } from '../../controls/asked.tsx'
import rows from '../../controls/rows.module.css'
import { Card } from '../../controls/screen.tsx'
import { dayOf, formatShortDay } from '../../format/days.ts'
import { useManner, useReader } from '../../shell/chosen-account.ts'
import { envelopeWords as words } from '../../words/envelopes.ts'

const shownMax = 10

/** The newest transactions that an envelope pays. */
export function paidQuery(bankAccountId: string, spendingId: string) {
  const path = { bankAccountId, spendingId }
  return queryOptions({
    queryKey: ['paid', bankAccountId, spendingId],
    queryFn: async ({ signal }) =>
      (await coffer.listSpendingTransactions({ path, query: { limit: shownMax }, signal })).data,
  })
}

/** The newest payments that the envelope pays. */
export function PaidFromIt({ spending }: { spending: Spending }) {
  const { bankAccountId, spendingId } = spending
  const reader = useReader()
  const manner = useManner(bankAccountId)
  const paid = useQuery(paidQuery(bankAccountId, spendingId))
  const all = (
    <Link to="/transactions" search={{ account: bankAccountId, spendingId }}>
      {words.allTransactions}
    </Link>
  )
  return (
    <Card title={words.transactions} aside={all}>
      <Asked query={paid}>
        {(found) => {
          if (found.length === 0) return <p className={rows.soft}>{words.transactionsNone}</p>
          return (
            <ul className={rows.rows}>
              {found.map(({ transactionId, date, name, originalName, amount, refundAmount }) => (
                <li key={transactionId} className={rows.row}>
                  <div>
                    <Link
                      to="/transactions/$transactionId"
                      params={{ transactionId }}
                      search={{ account: bankAccountId }}
                    >
                      {name ?? originalName}
                    </Link>
                    <p className={rows.soft}>
                      {formatShortDay(dayOf(date, reader.timezone), reader)}
                      {refundAmount === 0 && ` · ${words.refundUnused}`}
                    </p>
                  </div>
                  <Amount amount={amount} manner={manner} as="flow" />
                </li>
              ))}
            </ul>
          )
        }}
      </Asked>
    </Card>
  )
}
