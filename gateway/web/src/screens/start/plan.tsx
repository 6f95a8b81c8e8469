import { useQuery } from '@tanstack/react-query'
import { Link, Navigate, useNavigate } from '@tanstack/react-router'
import { bankAccountsQuery } from '../../api/account-queries.ts'
import { schedulesQuery, spendingQuery } from '../../api/budget-queries.ts'
import { Asked } from '../../controls/asked.tsx'
import { Card, Screen } from '../../controls/screen.tsx'
import { dayOf } from '../../format/days.ts'
import { useChosenAccountId, useReader } from '../../shell/chosen-account.ts'
import { startWords as words } from '../../words/start.ts'
import { PaydayForm } from '../schedules/schedule-form.tsx'
import { EnvelopeChoice } from './envelope-choice.tsx'
import { groupsQuery } from './similar-groups.ts'
import { suggestEnvelopes, suggestPayday } from './suggestions.ts'

/** Set-up of a bank account's plan: a payday if it has none, then envelopes. */
export function Plan() {
  const accounts = useQuery(bankAccountsQuery)
  const chosen = useChosenAccountId()
  const later = (
    <Link to="/" search={{ account: chosen ?? undefined }}>
      {words.later}
    </Link>
  )
  return (
    <Screen title={words.planTitle} actions={later} help="first-day" isNarrow>
      <Asked query={accounts} lines={8}>
        {() =>
          chosen === null ? <Navigate to="/setup" /> : <Steps key={chosen} bankAccountId={chosen} />
        }
      </Asked>
    </Screen>
  )
}

function Steps({ bankAccountId }: { bankAccountId: string }) {
  const reader = useReader()
  const navigate = useNavigate()
  const schedules = useQuery(schedulesQuery(bankAccountId))
  const spending = useQuery(spendingQuery(bankAccountId))
  const groups = useQuery(groupsQuery(bankAccountId, (at) => dayOf(at, reader.timezone)))
  return (
    <Asked query={groups} lines={8}>
      {({ deposits, payments }) => (
        <Asked query={schedules}>
          {([first]) =>
            first === undefined ? (
              <Card title={words.payday}>
                <p>{words.paydayText}</p>
                <PaydayForm
                  bankAccountId={bankAccountId}
                  proposal={{
                    pace: 'biweekly',
                    ...suggestPayday(deposits, reader.today),
                    name: words.paydayName,
                  }}
                  onDone={() => undefined}
                />
              </Card>
            ) : (
              <Asked query={spending}>
                {(envelopes) => (
                  <EnvelopeChoice
                    bankAccountId={bankAccountId}
                    fundingScheduleId={first.fundingScheduleId}
                    isFirst={envelopes.length === 0}
                    suggestions={suggestEnvelopes(payments, {
                      today: reader.today,
                      known: envelopes.map(({ name }) => name),
                    })}
                    onDone={() =>
                      void navigate({
                        to: envelopes.length === 0 ? '/' : '/envelopes',
                        search: { account: bankAccountId },
                      })
                    }
                  />
                )}
              </Asked>
            )
          }
        </Asked>
      )}
    </Asked>
  )
}
