import { foldName, namesIn } from '../csv-roles.ts'
import { isNumber, isOwnLabel, keyOf, nameOf } from './account-columns.ts'

/** An IBAN, maybe in groups; checked by its shape alone. */
const IBAN = /\b[A-Z]{2}\d{2}(?: ?[A-Z\d]){11,30}\b/g
const CARDS = namesIn([
  'karte, kreditkarte, kartennummer, card, card number, carte, tarjeta, carta',
])

/**
 * Returns the number of the account that the lines above a header state: their only IBAN, else the
 * only number beside a word for the own account. Null without one.
 */
export function headAccount(heading: readonly (readonly string[])[]): string | null {
  const ibans = heading.flatMap((cells) => cells.flatMap((cell) => cell.match(IBAN) ?? []))
  return onlyOf(ibans.length > 0 ? ibans : heading.flatMap(labelledIn))
}

function onlyOf(numbers: readonly string[]): string | null {
  const [only] = numbers
  const isOnly = new Set(numbers.map(keyOf)).size === 1
  return isOnly && only !== undefined ? nameOf(only) : null
}

/** Returns the numbers behind a word for the own account, such as `Kontonummer:`. */
function labelledIn(cells: readonly string[]): string[] {
  const parts = cells.flatMap((cell, at) => (at === 0 ? cell.split(':') : cell))
  const [label = '', ...values] = parts.map((part) => part.trim()).filter((part) => part !== '')
  return isOwnLabel(label) || CARDS.has(foldName(label)) ? values.filter(isNumber).slice(0, 1) : []
}
