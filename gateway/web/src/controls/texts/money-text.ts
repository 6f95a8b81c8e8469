import type { Manner } from '../../format/currency.ts'
import { formatMoney } from '../../format/money.ts'
import { usePreferences } from '../../preferences/preferences.ts'
import { frameWords } from '../../words/frame.ts'

/** Returns the function that writes amounts within texts, or hides them by the reader's choice. */
export function useMoneyText(manner: Manner): (amount: number) => string {
  const { areAmountsHidden } = usePreferences()
  return (amount) => (areAmountsHidden ? `(${frameWords.hidden})` : formatMoney(amount, manner))
}
