import { useQuery } from '@tanstack/react-query'
import { Navigate, useNavigate } from '@tanstack/react-router'
import { Plus } from 'lucide-react'
import { bankAccountsQuery } from '../../api/account-queries.ts'
import { Asked } from '../../controls/asked.tsx'
import { Button } from '../../controls/button.tsx'
import { Screen } from '../../controls/screen.tsx'
import { useChosenAccountId } from '../../shell/chosen-account.ts'
import { keyWords } from '../../words/frame.ts'
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
    <Screen title={homeWords.title} actions={chosen && <AddButton />} help="first-day">
      <Asked query={accounts} lines={8}>
        {() => (chosen === null ? <Navigate to="/setup" /> : <Parts bankAccountId={chosen} />)}
      </Asked>
    </Screen>
  )
}

/** Opens the form of a new transaction, as the key `n` does. */
function AddButton() {
  const navigate = useNavigate()
  const add = () =>
    void navigate({ to: '/transactions', search: (now) => now, state: { opened: 'transaction' } })
  return (
    <Button kind="primary" onClick={add}>
      <Plus size={18} aria-hidden />
      {keyWords.actions.add}
    </Button>
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
