import { Button } from './button.tsx'
import rows from './rows.module.css'

interface Props {
  query: {
    hasNextPage: boolean
    isFetchingNextPage: boolean
    fetchNextPage: () => unknown
  }
  children: string
}

/** The button below a list that reads its next page; nothing at the end of the list. */
export function MoreButton({ query, children }: Props) {
  const { hasNextPage, isFetchingNextPage, fetchNextPage } = query
  if (!hasNextPage) return null
  return (
    <div className={rows.toolbar}>
      <Button isBusy={isFetchingNextPage} onClick={() => void fetchNextPage()}>
        {children}
      </Button>
    </div>
  )
}
