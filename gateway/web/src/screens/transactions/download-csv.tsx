import { useMutation } from '@tanstack/react-query'
import { Download } from 'lucide-react'
import { coffer } from '../../api/client.ts'
import { faultOf } from '../../api/faults.ts'
import { type Filters, filterQuery } from '../../api/transaction-queries.ts'
import { Button } from '../../controls/button.tsx'
import { FaultBanner } from '../../controls/form.tsx'
import { csvName, saveCsv } from '../../controls/texts/saved-file.ts'
import { useReader } from '../../shell/chosen-account.ts'
import { useAccountNames } from '../../shell/distinct-names.ts'
import { transactionWords as words } from '../../words/transactions.ts'
import styles from './transactions.module.css'

interface Props {
  bankAccountId: string
  filters: Filters
}

/** Timeout in ms for a file with the maximum number of rows. */
const timeoutMs = 300_000

/** Downloads all transactions that match the filters as CSV. */
export function DownloadCsv({ bankAccountId, filters }: Props) {
  const { language, today } = useReader()
  const account = useAccountNames().get(bankAccountId) ?? ''
  const download = useMutation({
    mutationFn: async () => {
      const headers = { Accept: 'text/csv' }
      const path = { bankAccountId }
      // German spreadsheets parse 12.50 as a date and expect semicolons between columns, which the
      // API writes with the decimal mark `,`.
      const decimalMark = language === 'de' ? ',' : '.'
      const query = { ...filterQuery(filters), decimalMark } as const
      const { data } = await coffer.listTransactions({ path, query, headers, timeoutMs })
      // `saveCsv` adds the byte order mark again, which `fetch` has removed.
      saveCsv(data as unknown as string, csvName(account, today))
    },
  })
  const fault = faultOf(download.error)
  return (
    <>
      <Button
        kind="quiet"
        aria-label={words.download}
        title={words.download}
        isBusy={download.isPending}
        onClick={() => download.mutate()}
      >
        <Download size={18} aria-hidden />
        <span className={styles.long}>{words.download}</span>
      </Button>
      {fault && <FaultBanner fault={fault} again={() => download.mutate()} />}
    </>
  )
}
