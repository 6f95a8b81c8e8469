import { useQuery } from '@tanstack/react-query'
import { Link, Navigate } from '@tanstack/react-router'
import { bankAccountOverviewQuery, bankAccountsQuery } from '../../api/account-queries.ts'
import { spendingQuery } from '../../api/budget-queries.ts'
import { Asked } from '../../controls/asked.tsx'
import { AllHistory } from '../../controls/journal/all-history.tsx'
import { Card, Screen } from '../../controls/screen.tsx'
import { useChosenAccountId, useManner, useReader } from '../../shell/chosen-account.ts'
import { historyWords as words } from '../../words/history.ts'
import { SumSentences } from '../home/sum-sentences.tsx'

/** Explains the sums of the chosen bank account in sentences, and lists every change of them. */
export function Changes() {
  const accounts = useQuery(bankAccountsQuery)
  const chosen = useChosenAccountId()
  return (
    <Screen title={words.title} help="envelopes" isNarrow>
      <Asked query={accounts} lines={8}>
        {() => (chosen === null ? <Navigate to="/setup" /> : <Parts bankAccountId={chosen} />)}
      </Asked>
    </Screen>
  )
}

function Parts({ bankAccountId }: { bankAccountId: string }) {
  const reader = useReader()
  const manner = useManner(bankAccountId)
  const overview = useQuery(bankAccountOverviewQuery(bankAccountId))
  const { data: envelopes } = useQuery(spendingQuery(bankAccountId))
  return (
    <>
      <Card title={words.sums}>
        <Asked query={overview}>{(found) => found && <SumSentences overview={found} />}</Asked>
        <p>
          <Link to="/envelopes" search={{ account: bankAccountId }}>
            {words.toEnvelopes}
          </Link>
        </p>
      </Card>
      <Card title={words.changes}>
        <AllHistory
          key={bankAccountId}
          bankAccountId={bankAccountId}
          manner={manner}
          place={reader}
          hasPots
          envelopes={envelopes}
        />
      </Card>
    </>
  )
}
