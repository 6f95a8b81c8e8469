import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Navigate } from '@tanstack/react-router'
import { Plus } from 'lucide-react'
import { useState } from 'react'
import { bankAccountsQuery } from '../../api/account-queries.ts'
import { transactionPagesQuery } from '../../api/lists/transaction-pages.ts'
import type { Filters as FilterValues } from '../../api/transaction-queries.ts'
import { Asked } from '../../controls/asked.tsx'
import { Button } from '../../controls/button.tsx'
import { Screen } from '../../controls/screen.tsx'
import { useChosenAccountId } from '../../shell/chosen-account.ts'
import { useOpenedForm } from '../../shell/opened-form.ts'
import { transactionWords } from '../../words/transactions.ts'
import { DownloadCsv } from './download-csv.tsx'
import { Filters } from './filters.tsx'
import { Listing } from './listing.tsx'
import { NewTransaction } from './new-transaction.tsx'
import styles from './transactions.module.css'

const route = getRouteApi('/frame/transactions')

/** The transactions of the chosen bank account, by day, with filters that are in the URL. */
export function Transactions() {
  const accounts = useQuery(bankAccountsQuery)
  const chosen = useChosenAccountId()
  const { account: _, ...filters } = route.useSearch()
  const [isAdding, setAdding] = useOpenedForm('transaction')
  const [slot, setSlot] = useState<HTMLElement | null>(null)
  const add = (
    <Button kind="primary" onClick={() => setAdding(true)}>
      <Plus size={18} aria-hidden />
      {transactionWords.add}
    </Button>
  )
  return (
    <Screen title={transactionWords.title} actions={chosen && add} help="refunds">
      <Asked query={accounts} lines={10}>
        {() =>
          chosen === null ? (
            <Navigate to="/setup" />
          ) : (
            <>
              <Ways bankAccountId={chosen} filters={filters} setSlot={setSlot} />
              <Listing
                key={JSON.stringify([chosen, filters])}
                bankAccountId={chosen}
                filters={filters}
                slot={slot}
              />
              {isAdding && (
                <NewTransaction bankAccountId={chosen} onClose={() => setAdding(false)} />
              )}
            </>
          )
        }
      </Asked>
    </Screen>
  )
}

interface WaysProps {
  bankAccountId: string
  filters: FilterValues
  /** Takes the place of the button that begins a selection. */
  setSlot: (slot: HTMLElement | null) => void
}

/** The search, the filters and the download; nothing while there are no transactions. */
function Ways({ bankAccountId, filters, setSlot }: WaysProps) {
  const { data: pages } = useQuery(transactionPagesQuery(bankAccountId, filters))
  const isFiltered = Object.values(filters).some((one) => one !== undefined)
  if (pages?.[0]?.items.length === 0 && !isFiltered) return null
  return (
    <Filters bankAccountId={bankAccountId} filters={filters}>
      <div ref={setSlot} className={styles.slot} />
      <DownloadCsv bankAccountId={bankAccountId} filters={filters} />
    </Filters>
  )
}
