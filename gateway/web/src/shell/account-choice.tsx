import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { bankAccountsQuery } from '../api/account-queries.ts'
import { setPreferences } from '../preferences/preferences.ts'
import { frameWords } from '../words/frame.ts'
import { useChosenAccountId } from './chosen-account.ts'
import { useAccountNames } from './distinct-names.ts'
import styles from './frame.module.css'

/** The choice of the bank account that all screens show; none where there is only one. */
export function AccountChoice() {
  const accounts = useQuery(bankAccountsQuery).data ?? []
  const chosen = useChosenAccountId()
  const names = useAccountNames()
  const navigate = useNavigate()
  if (accounts.length < 2 || chosen === null) return null
  const choose = (account: string) => {
    setPreferences({ bankAccountId: account })
    void navigate({ to: '.', search: (now) => ({ ...now, account }) })
  }
  return (
    <div className={styles.account}>
      <span aria-hidden="true">{frameWords.account}</span>
      <select
        aria-label={frameWords.account}
        value={chosen}
        onChange={(event) => choose(event.target.value)}
      >
        {accounts.map(({ bankAccountId }) => (
          <option key={bankAccountId} value={bankAccountId}>
            {names.get(bankAccountId)}
          </option>
        ))}
      </select>
    </div>
  )
}
