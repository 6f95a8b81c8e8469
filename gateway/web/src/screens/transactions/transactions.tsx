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
import { searchedAmount } from '../../format/amount-input.ts'
import { useChosenAccountId, useManner } from '../../shell/chosen-account.ts'
import { useOpenedForm } from '../../shell/opened-form.ts'
import { transactionWords } from '../../words/transactions.ts'
import { DownloadCsv } from './download-csv.tsx'
import { Filters } from './filters.tsx'
import { Listing } from './listing.tsx'
import { NewTransaction } from './new-transaction.tsx'
import styles from './transactions.module.css'

const route = getRouteApi('/frame/transactions')

/** The transactions of the chosen bank account by day, with filters in the URL. */
export function Transactions() {
  const accounts = useQuery(bankAccountsQuery)
  const chosen = useChosenAccountId()
  const { account: _, ...filters } = route.useSearch()
  const asked = useAsked(chosen ?? '', filters)
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
              <Ways bankAccountId={chosen} filters={filters} asked={asked} setSlot={setSlot} />
              <Listing
                key={JSON.stringify([chosen, filters])}
                bankAccountId={chosen}
                filters={asked}
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

/** Returns the filters for the API: a search text that is an amount becomes the amount filter. */
function useAsked(bankAccountId: string, filters: FilterValues): FilterValues {
  const amount = searchedAmount(filters.search ?? '', useManner(bankAccountId))
  return amount === null ? filters : { ...filters, search: undefined, amount }
}

interface WaysProps {
  bankAccountId: string
  filters: FilterValues
  /** The filters for the API. */
  asked: FilterValues
  /** Receives the element for the button "select". */
  setSlot: (slot: HTMLElement | null) => void
}

/** Search, filters and download; nothing while there are no transactions. */
function Ways({ bankAccountId, filters, asked, setSlot }: WaysProps) {
  const { data: pages } = useQuery(transactionPagesQuery(bankAccountId, asked))
  const isFiltered = Object.values(filters).some((one) => one !== undefined)
  if (pages?.[0]?.items.length === 0 && !isFiltered) return null
  return (
    <Filters bankAccountId={bankAccountId} filters={filters}>
      <div ref={setSlot} className={styles.slot} />
      <DownloadCsv bankAccountId={bankAccountId} filters={asked} />
    </Filters>
  )
}
