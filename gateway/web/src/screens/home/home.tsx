import { useQuery } from '@tanstack/react-query'
import { Navigate } from '@tanstack/react-router'
import { Plus } from 'lucide-react'
import { lazy, Suspense, startTransition } from 'react'
import { bankAccountsQuery } from '../../api/account-queries.ts'
import { Asked } from '../../controls/asked.tsx'
import { Button } from '../../controls/button.tsx'
import { Screen } from '../../controls/screen.tsx'
import { useChosenAccountId } from '../../shell/chosen-account.ts'
import { useOpenedForm } from '../../shell/opened-form.ts'
import { keyWords } from '../../words/frame.ts'
import { homeWords } from '../../words/home.ts'
import { Resume } from '../start/resume.tsx'
import { Behind } from './behind.tsx'
import { FreeToUse } from './free-to-use.tsx'
import styles from './home.module.css'
import { LinkHealth } from './link-health.tsx'
import { NextPayday } from './next-payday.tsx'
import { Unassigned } from './unassigned.tsx'

const NewTransaction = lazy(() =>
  import('../transactions/new-transaction.tsx').then((part) => ({ default: part.NewTransaction })),
)

/** Overview of the chosen bank account. */
export function Home() {
  const accounts = useQuery(bankAccountsQuery)
  const chosen = useChosenAccountId()
  return (
    <Screen
      title={homeWords.title}
      actions={chosen && <AddButton bankAccountId={chosen} />}
      help="first-day"
    >
      <Asked query={accounts} lines={8}>
        {() => (chosen === null ? <Navigate to="/setup" /> : <Parts bankAccountId={chosen} />)}
      </Asked>
    </Screen>
  )
}

/** Opens the form for a new transaction in a dialog. */
function AddButton({ bankAccountId }: { bankAccountId: string }) {
  const [isAdding, setAdding] = useOpenedForm('transaction')
  return (
    <>
      <Button kind="primary" onClick={() => startTransition(() => setAdding(true))}>
        <Plus size={18} aria-hidden />
        {keyWords.actions.add}
      </Button>
      <Suspense fallback={null}>
        {isAdding && (
          <NewTransaction bankAccountId={bankAccountId} onClose={() => setAdding(false)} />
        )}
      </Suspense>
    </>
  )
}

/** Keyed by the bank account, so that no part keeps state of another one. */
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
