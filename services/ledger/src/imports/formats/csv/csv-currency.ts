import { isCode, statesOther, symbolsOf } from '../amounts/currency-symbols.ts'
import type { CsvMapping, FieldRef } from './csv-mapping.ts'
import { columnsWhere, foldName, namesIn } from './csv-roles.ts'

/** Names of columns with the currency of each row. */
const NAMES = namesIn([
  'currency, currency code, ccy, cur, transaction currency, account currency, devise, moneda',
  'billing currency, booking currency, מטבע חיוב, מטבע',
  'wahrung, waehrung, buchungswahrung, kontowahrung, divisa, moeda, valuta, waluta, valiuta',
  'valuuta, mena, penznem, валюта, валута, νομισμα, para birimi, doviz, 通貨, 通貨コード, 货币',
  '币种, 통화',
])

/** Names of columns with the amount in a foreign currency, such as of a purchase abroad. */
const FOREIGN_AMOUNTS = namesIn([
  'currency amount, foreign amount, foreign currency amount, amount in foreign currency',
  'original amount, transaction amount, amount in transaction currency, utl belopp',
  'utländskt belopp, belopp i utländsk valuta, originalbelopp, valutabeløp, beløp i valuta',
  'beløb i valuta, fremdwährungsbetrag, betrag in fremdwährung, betrag fremdwährung',
  'originalbetrag, ursprungsbetrag, montant devise, montant en devise, importe original',
  'importe en divisa, importo originale, importo in valuta, valor original, kwota oryginalna',
  'kwota w walucie, kwota transakcji, bedrag vreemde valuta, origineel bedrag',
])

/** Parts of the names of columns of amounts, or of codes, in the currency of the own account. */
const OF_ACCOUNT = new RegExp(
  'account currency|currency of account|kontowahrung|wahrung des kontos|valuta rekening|' +
    'saskaitos valiut|konta valut|konto valuut|rekeningvaluta|kontovaluta|kontovaluutta|' +
    'devise (?:du )?compte|(?:moneda|divisa) (?:de )?(?:la )?cuenta|valuta (?:del )?conto|' +
    'walucie rachunku|waluta rachunku|men[ae] uctu|szamla deviza|валют[аеы] (?:счета|карты)|' +
    'валют[аі] (?:рахунку|картки)|hesap para birimi',
)

/** An amount with two decimals, without a currency. */
const AMOUNT = /^[-+(]?\d[\d.,' ]*[.,]\d{2}\)?$/

type Cells = { at: (ref: FieldRef) => string }

/** The mapped columns of amounts, the bank account's currency, and the rows. */
type CurrencyOf = {
  amount: CsvMapping['amount']
  currency: string
  rows: () => Iterable<Cells>
}

/** Returns the columns of currencies: of debits and of credits (`currencyPair`), or of each row. */
export function findCurrencies(headers: readonly string[], of: CurrencyOf) {
  const currencyPair = findCurrencyPair(headers, of)
  const currencyColumn = currencyPair.length > 0 ? null : findCurrencyColumn(headers, of)
  return { currencyColumn, currencyPair }
}

/**
 * Returns the column with the currency of each row: by name, else because it has only ISO codes; of
 * several the nearest to the amounts. Returns null without such a column, if its codes belong to
 * another column's amounts, and if the header of the amounts has the bank account's currency, such
 * as `Amount (EUR)`. Amounts called those in the account's currency have only such a column.
 */
function findCurrencyColumn(headers: readonly string[], of: CurrencyOf): FieldRef | null {
  const { amount, currency } = of
  const at = headers.indexOf(amount.fields[0]?.name ?? '')
  const words = headers[at]?.toUpperCase().split(/[^A-Z]+/) ?? []
  if (words.includes(currency)) return null
  if (OF_ACCOUNT.test(foldName(headers[at] ?? ''))) return ofAccount(headers, of)
  const named = headers.filter((name) => NAMES.has(foldName(name)))
  const found = named.length > 0 ? named : columnsOfCodes(headers, of)
  const distanceOf = (name: string) => Math.abs(headers.indexOf(name) - at)
  const [nearest] = found.toSorted((one, other) => distanceOf(one) - distanceOf(other))
  if (nearest === undefined || isOfForeign(headers, { ...of, code: { name: nearest } })) return null
  return { name: nearest }
}

/**
 * Returns the columns of the currencies of debits and of credits, if each is behind its amounts:
 * exports of several currencies have the two sides of an exchange in one row.
 */
function findCurrencyPair(
  headers: readonly string[],
  { amount, rows }: Pick<CurrencyOf, 'amount' | 'rows'>,
): readonly FieldRef[] {
  if (amount.kind !== 'column') return []
  const behind = amount.fields.map(({ name = '' }) => headers[headers.indexOf(name) + 1] ?? '')
  const codes = new Set(columnsWhere(headers, rows(), isCode))
  const isPair = behind.every((name) => codes.has(name)) && behind[0] !== behind[1]
  return isPair ? behind.map((name) => ({ name })) : []
}

/** Returns the column of the own account's currency, by name, or null without one. */
function ofAccount(headers: readonly string[], { rows }: CurrencyOf): FieldRef | null {
  const codes = columnsWhere(headers, rows(), isCode)
  const name = codes.find((one) => OF_ACCOUNT.test(foldName(one)))
  return name === undefined ? null : { name }
}

/**
 * Returns the columns of only ISO codes, which may state the currency of the mapped amounts. Codes
 * next to a column of other amounts probably belong to those, so they are left out. If no column
 * remains, those that are also next to mapped amounts are returned.
 */
function columnsOfCodes(headers: readonly string[], { amount, rows }: CurrencyOf): string[] {
  const codes = columnsWhere(headers, rows(), isCode)
  if (codes.length === 0) return codes
  const own = new Set(amount.fields.map(({ name }) => name))
  const amounts = columnsWhere(headers, rows(), (text) => AMOUNT.test(text))
  const others = new Set(amounts.filter((name) => !own.has(name)))
  const isBeside = (name: string, of: ReadonlySet<string | undefined>) =>
    besides(headers, name).some((one) => of.has(one))
  const alone = codes.filter((name) => !isBeside(name, others))
  return alone.length > 0 ? alone : codes.filter((name) => isBeside(name, own))
}

function besides(headers: readonly string[], name: string): readonly string[] {
  const place = headers.indexOf(name)
  return [...headers.slice(Math.max(0, place - 1), place), ...headers.slice(place + 1, place + 2)]
}

/**
 * Returns whether the codes belong to a column of foreign amounts: its amounts differ from the
 * mapped amounts in exactly the rows whose code is another currency.
 */
function isOfForeign(headers: readonly string[], of: CurrencyOf & { code: FieldRef }): boolean {
  const { code, amount, currency, rows } = of
  const own = amount.fields.map(({ name }) => name)
  const name = headers.find((one) => FOREIGN_AMOUNTS.has(foldName(one)) && !own.includes(one))
  if (name === undefined) return false
  for (const { at } of rows()) {
    const foreign = digitsOf(at({ name }))
    const stated = digitsOf(amount.fields.map(at).find((text) => /[1-9]/.test(text)) ?? '')
    const isOther = foreign !== '' && foreign !== stated
    if (isOther !== isOtherCurrency(at(code), currency)) return false
  }
  return true
}

/** Returns the digits of an amount without zeros at both ends, to compare two notations. */
function digitsOf(text: string): string {
  return text.replace(/\D/g, '').replace(/^0+|0+$/g, '')
}

/** Returns whether a cell of the currency column names another currency; false if it is blank. */
export function isOtherCurrency(cell: string, currency: string): boolean {
  const code = cell.toUpperCase()
  return /^[A-Z]{3}$/.test(code) ? !symbolsOf(currency).includes(code) : statesOther(cell, currency)
}
