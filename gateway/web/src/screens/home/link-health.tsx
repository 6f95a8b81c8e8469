import { useQuery } from '@tanstack/react-query'
import { bankAccountsQuery, linkHealthQuery } from '../../api/account-queries.ts'
import { faultText, LinkStep } from '../../controls/link-step.tsx'
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
  return (
    <div className={styles.warned} role="status">
      <p className={styles.name}>{faultText(health)}</p>
      <LinkStep health={health} />
    </div>
  )
}
