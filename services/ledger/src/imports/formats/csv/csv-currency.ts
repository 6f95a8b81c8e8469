import { statesOther, symbolsOf } from '../amounts/currency-symbols.ts'
import type { CsvMapping, FieldRef } from './csv-mapping.ts'
import { foldName, namesIn } from './csv-roles.ts'

/** Names of a column that states the currency of its row, without accents. */
const NAMES = namesIn([
  'currency, currency code, ccy, cur, transaction currency, account currency, devise, moneda',
  'billing currency, booking currency, מטבע חיוב, מטבע',
  'wahrung, waehrung, buchungswahrung, kontowahrung, divisa, moeda, valuta, waluta, valiuta',
  'valuuta, mena, penznem, валюта, валута, νομισμα, para birimi, doviz, 通貨, 通貨コード, 货币',
  '币种, 통화',
])

/**
 * Returns the column that states the currency of each row: of several, the one nearest to the
 * amounts. Returns null without one, and where the name of the amounts states the bank account's
 * currency, such as `Amount (EUR)`.
 */
export function findCurrencyColumn(
  headers: readonly string[],
  { amount, currency }: { amount: CsvMapping['amount']; currency: string },
): FieldRef | null {
  const at = headers.indexOf(amount.fields[0]?.name ?? '')
  const words = headers[at]?.toUpperCase().split(/[^A-Z]+/) ?? []
  if (words.includes(currency)) return null
  const named = [...headers.entries()].filter(([, name]) => NAMES.has(foldName(name)))
  const [nearest] = named.toSorted(([one], [other]) => Math.abs(one - at) - Math.abs(other - at))
  return nearest === undefined ? null : { name: nearest[1] }
}

/** Returns whether the cell of such a column names another currency; a blank one names none. */
export function isOtherCurrency(cell: string, currency: string): boolean {
  const code = cell.toUpperCase()
  return /^[A-Z]{3}$/.test(code) ? !symbolsOf(currency).includes(code) : statesOther(cell, currency)
}
