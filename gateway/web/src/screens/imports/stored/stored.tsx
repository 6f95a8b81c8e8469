import { Link } from '@tanstack/react-router'
import { Card } from '../../../controls/screen.tsx'
import { importWords as words } from '../../../words/imports.ts'
import { BalanceNote } from './balance-note.tsx'

interface Props {
  bankAccountId: string
  /** Counts of the rows, in words. */
  counts: string
  /** Current balance that the file states, in minor units. */
  stated: number | null | undefined
}

/** The end of an import: its counts, its balance and the way to its transactions. */
export function Stored({ bankAccountId, counts, stated }: Props) {
  return (
    <Card title={words.storedTitle}>
      <p role="status">{counts}</p>
      <BalanceNote bankAccountId={bankAccountId} stated={stated} isStored />
      <Link to="/transactions" search={{ account: bankAccountId }}>
        {words.toTransactions}
      </Link>
    </Card>
  )
}
