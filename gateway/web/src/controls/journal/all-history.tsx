import { useInfiniteQuery } from '@tanstack/react-query'
import { type ComponentProps, useState } from 'react'
import { changesOf, journalQuery, journalStep, newestMax } from '../../api/history-queries.ts'
import { historyWords as words } from '../../words/history.ts'
import { Asked } from '../asked.tsx'
import { MoreButton } from '../more-button.tsx'
import rows from '../rows.module.css'
import { History } from './history.tsx'

interface Props extends Omit<ComponentProps<typeof History>, 'entries'> {
  bankAccountId: string
  /** Shows the journal of this envelope only. */
  spendingId?: string
}

/**
 * The journal of a bank account or of an envelope, with a button for its older entries. A page more
 * than shown is loaded: the name of a correction follows from the older entry of its payment.
 */
export function AllHistory({ bankAccountId, spendingId, ...look }: Props) {
  const found = useInfiniteQuery(journalQuery(bankAccountId, spendingId))
  const [shown, setShown] = useState(journalStep)
  const loaded = changesOf(found.data?.pages.flatMap((page) => page.entries) ?? [])
  const more = {
    hasNextPage: found.hasNextPage || shown < loaded.length,
    isFetchingNextPage: found.isFetchingNextPage,
    fetchNextPage: () => {
      setShown(shown + journalStep)
      if (found.hasNextPage && loaded.length < shown + newestMax) void found.fetchNextPage()
    },
  }
  return (
    <>
      <Asked query={found}>
        {() => {
          if (loaded.length === 0) return <p className={rows.soft}>{words.none}</p>
          return <History {...look} entries={loaded} max={shown} isLinked />
        }}
      </Asked>
      <MoreButton query={more}>{words.more}</MoreButton>
    </>
  )
}
