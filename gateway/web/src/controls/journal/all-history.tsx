import { useInfiniteQuery } from '@tanstack/react-query'
import type { ComponentProps } from 'react'
import { changesOf, journalQuery } from '../../api/history-queries.ts'
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

/** The journal of a bank account or of an envelope, with a button for its older entries. */
export function AllHistory({ bankAccountId, spendingId, ...look }: Props) {
  const found = useInfiniteQuery(journalQuery(bankAccountId, spendingId))
  return (
    <>
      <Asked query={found}>
        {({ pages }) => {
          const entries = changesOf(pages.flatMap((page) => page.entries))
          if (entries.length === 0) return <p className={rows.soft}>{words.none}</p>
          return <History {...look} entries={entries} isLinked />
        }}
      </Asked>
      <MoreButton query={found}>{words.more}</MoreButton>
    </>
  )
}
