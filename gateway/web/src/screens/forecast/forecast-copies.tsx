import { Download, Printer } from 'lucide-react'
import type { Spending } from '../../api/budget-queries.ts'
import type { Forecast } from '../../api/forecast-queries.ts'
import { Button } from '../../controls/button.tsx'
import rows from '../../controls/rows.module.css'
import { saveCsv } from '../../controls/texts/saved-file.ts'
import type { Rest } from '../../format/debts.ts'
import { useManner, useReader } from '../../shell/chosen-account.ts'
import { forecastWords as words } from '../../words/forecast.ts'
import { envelopeLines } from './envelope-lines.ts'
import { forecastFile } from './forecast-file.ts'

interface Props {
  forecast: Forecast
  spending: Spending[]
  bankAccountId: string
  rest: Rest
}

/** Buttons that print the forecast or save it as CSV. */
export function ForecastCopies({ forecast, spending, bankAccountId, rest }: Props) {
  const { timezone, language } = useReader()
  const { currency } = useManner(bankAccountId)
  const save = () => {
    const lines = envelopeLines(forecast, spending)
    const columns = [...words.columns, words.rests[rest]]
    const text = forecastFile(forecast, {
      lines,
      timezone,
      currency,
      columns,
      hasCommas: language === 'de',
    })
    saveCsv(text, 'coffer-forecast.csv')
  }
  return (
    <div className={rows.toolbar}>
      <Button kind="quiet" onClick={save}>
        <Download size={18} aria-hidden />
        {words.download}
      </Button>
      <Button kind="quiet" onClick={() => print()}>
        <Printer size={18} aria-hidden />
        {words.print}
      </Button>
    </div>
  )
}
