import { useQuery } from '@tanstack/react-query'
import { lazy, Suspense } from 'react'
import { linkHealthQuery } from '../../api/account-queries.ts'
import { useLinkOf } from '../../shell/chosen-account.ts'

// Most connections work.
const LinkFault = lazy(() =>
  import('./link-fault.tsx').then((part) => ({ default: part.LinkFault })),
)

/** Says so where the connection of the bank account does not work, and what helps. */
export function LinkHealth({ bankAccountId }: { bankAccountId: string }) {
  const link = useLinkOf(bankAccountId)
  const { data: health } = useQuery({
    ...linkHealthQuery(link?.linkId ?? ''),
    enabled: link !== undefined && link.linkType !== 'manual',
  })
  if (!health?.lastError) return null
  return (
    <Suspense fallback={null}>
      <LinkFault health={health} />
    </Suspense>
  )
}
