import { useQuery } from '@tanstack/react-query'
import { bankAccountsQuery, linkHealthQuery } from '../../api/account-queries.ts'
import styles from './home.module.css'

/** Says so where the connection of the bank account does not work, and what helps. */
export function LinkHealth({ bankAccountId }: { bankAccountId: string }) {
  const { data: accounts = [] } = useQuery(bankAccountsQuery)
  const account = accounts.find((one) => one.bankAccountId === bankAccountId)
  const { data: health } = useQuery({
    ...linkHealthQuery(account?.linkId ?? ''),
    enabled: account !== undefined,
  })
  if (!health?.lastError) return null
  const { text, advice } = health.lastError
  return (
    <div className={styles.warned} role="status">
      <p className={styles.name}>{text}</p>
      <p>{advice}</p>
    </div>
  )
}
