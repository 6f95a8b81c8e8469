import { useQuery } from '@tanstack/react-query'
import { Navigate } from '@tanstack/react-router'
import { bankAccountsQuery } from '../../api/account-queries.ts'
import { Asked } from '../../controls/asked.tsx'
import { Screen } from '../../controls/screen.tsx'
import { useChosenAccountId } from '../../shell/chosen-account.ts'
import { homeWords } from '../../words/home.ts'
import { Resume } from '../start/resume.tsx'
import { Behind } from './behind.tsx'
import { FreeToUse } from './free-to-use.tsx'
import styles from './home.module.css'
import { LinkHealth } from './link-health.tsx'
import { NextPayday } from './next-payday.tsx'
import { Unassigned } from './unassigned.tsx'

/** The state of the chosen bank account at a glance. */
export function Home() {
  const accounts = useQuery(bankAccountsQuery)
  const chosen = useChosenAccountId()
  return (
    <Screen title={homeWords.title} help="first-day">
      <Asked query={accounts} lines={8}>
        {() => (chosen === null ? <Navigate to="/setup" /> : <Parts bankAccountId={chosen} />)}
      </Asked>
    </Screen>
  )
}

/** Renews all parts with the bank account, so that none shows what belongs to another one. */
function Parts({ bankAccountId }: { bankAccountId: string }) {
  return (
    <div className={styles.parts} key={bankAccountId}>
      <LinkHealth bankAccountId={bankAccountId} />
      <FreeToUse bankAccountId={bankAccountId} />
      <Resume bankAccountId={bankAccountId} />
      <div className={styles.pair}>
        <NextPayday bankAccountId={bankAccountId} />
        <Behind bankAccountId={bankAccountId} />
      </div>
      <Unassigned bankAccountId={bankAccountId} />
    </div>
  )
}
