import { useQuery } from '@tanstack/react-query'
import { useNavigate, useRouter } from '@tanstack/react-router'
import { bankAccountsQuery } from '../api/account-queries.ts'
import { setPreferences } from '../preferences/preferences.ts'
import { ofAccount } from '../search.ts'
import { frameWords } from '../words/frame.ts'
import { useChosenAccountId } from './chosen-account.ts'
import { useAccountNames } from './distinct-names.ts'
import styles from './frame.module.css'

/** Lists whose detail screens show one object of a bank account. */
const lists = ['/envelopes', '/transactions', '/imports'] as const

/** Choice of the bank account that all screens show; hidden if there is only one. */
export function AccountChoice() {
  const accounts = useQuery(bankAccountsQuery).data ?? []
  const chosen = useChosenAccountId()
  const names = useAccountNames()
  const navigate = useNavigate()
  const router = useRouter()
  if (accounts.length < 2 || chosen === null) return null
  const choose = (account: string) => {
    setPreferences({ bankAccountId: account })
    // Details of an object lead to the list, because the other account does not have the object.
    const { pathname } = router.state.location
    const list = lists.find((one) => pathname.startsWith(`${one}/`))
    if (list) void navigate({ to: list, search: { account } })
    else void navigate({ to: '.', search: (now) => ofAccount(now, account) })
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
