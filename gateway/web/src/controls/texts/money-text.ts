import type { Manner } from '../../format/currency.ts'
import { formatMoney } from '../../format/money.ts'
import { usePreferences } from '../../preferences/preferences.ts'
import { frameWords } from '../../words/frame.ts'

/**
 * Returns a function that formats amounts within texts, or hides them if the user has chosen so.
 */
export function useMoneyText(manner: Manner): (amount: number) => string {
  const { areAmountsHidden } = usePreferences()
  return (amount) => (areAmountsHidden ? `(${frameWords.hidden})` : formatMoney(amount, manner))
}
