import { useState } from 'react'
import type { Transaction } from '../../api/budget-queries.ts'
import { bulkMax, type Chosen } from '../../api/bulk-changes.ts'

/** Up to 500 selected transactions; `chosen` is null while no selection is active. */
export interface Selection {
  chosen: Chosen | null
  toggle: (transaction: Transaction) => void
  /** Replaces the selection by the first 500 of these. */
  choose: (transactions: Transaction[]) => void
  end: () => void
}

/** Returns the selection of a list. */
export function useSelection(): Selection {
  const [chosen, setChosen] = useState<Chosen | null>(null)
  return {
    chosen,
    choose: (transactions) => setChosen(chosenOf(transactions)),
    toggle: (transaction) => setChosen((now) => toggled(now, transaction)),
    end: () => setChosen(null),
  }
}

function chosenOf(transactions: Transaction[]): Chosen {
  const entries = transactions.slice(0, bulkMax).map((one) => [one.transactionId, one] as const)
  return new Map(entries)
}

function toggled(chosen: Chosen | null, transaction: Transaction): Chosen {
  const { transactionId } = transaction
  const others = [...(chosen?.values() ?? [])]
  if (!chosen?.has(transactionId)) return chosenOf([...others, transaction])
  return chosenOf(others.filter((one) => one.transactionId !== transactionId))
}
