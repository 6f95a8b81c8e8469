import { useQuery } from '@tanstack/react-query'
import { linkHealthQuery } from '../../api/account-queries.ts'
import { faultText, LinkStep } from '../../controls/link-step.tsx'
import { useLinkOf } from '../../shell/chosen-account.ts'
import styles from './home.module.css'

/** Says so where the connection of the bank account does not work, and what helps. */
export function LinkHealth({ bankAccountId }: { bankAccountId: string }) {
  const link = useLinkOf(bankAccountId)
  const { data: health } = useQuery({
    ...linkHealthQuery(link?.linkId ?? ''),
    enabled: link !== undefined && link.linkType !== 'manual',
  })
  if (!health?.lastError) return null
  return (
    <div className={styles.warned} role="status">
      <p className={styles.name}>{faultText(health)}</p>
      <LinkStep health={health} />
    </div>
  )
}
