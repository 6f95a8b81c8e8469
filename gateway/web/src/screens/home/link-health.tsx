import { useQuery } from '@tanstack/react-query'
import { lazy, Suspense } from 'react'
import { linkHealthQuery } from '../../api/account-queries.ts'
import { useLinkOf } from '../../shell/chosen-account.ts'

// Loaded lazily: most connections work.
const LinkFault = lazy(() =>
  import('./link-fault.tsx').then((part) => ({ default: part.LinkFault })),
)

/** A warning if the connection of the bank account fails, with the step that repairs it. */
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
