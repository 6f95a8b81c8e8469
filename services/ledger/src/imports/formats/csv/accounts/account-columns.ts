import { cut } from '../../statement-rows.ts'
import type { CsvMapping } from '../csv-mapping.ts'
import { foldName, namesIn } from '../csv-roles.ts'

/** Names of a column of the own account, without accents and marks. */
const OWN = namesIn([
  'account, account number, account no, account nr, account id, account iban, account name, acct',
  'account of initiator, iban of account of initiator, client account, own account, my account',
  'auftragskonto, iban auftragskonto, auftraggeberkonto, iban auftraggeberkonto, konto, konto iban',
  'kontobezeichnung, kontoname, eigenes konto, rekening, rekeningnummer, eigen rekening, compte',
  'numero de compte, n de compte, nom du compte, cuenta, numero de cuenta, conta, conto',
  'numero conto, saskaitos nr, kliendi konto, szamlaszam, tilinumero, номер счета, счет, wallet',
  'own account number, balance account, bankkonto, bankrekening, eigen rekeningnummer, oma tili',
  'compte bancaire, cuenta bancaria, conta corrente, conto corrente, rapporto, hesap no, rachunek',
  'konyvelesi szamla, ucet, 账户, 口座番号, 계좌번호, חשבון',
])
/**
 * Names that also stand for the other party's account: the own one in the first column, else by
 * the contents.
 */
const OWN_IF_FIRST = namesIn([
  'kontonummer, konto nr, kontonr, iban, iban bban, numer rachunku, nr rachunku, numer konta',
  'cislo uctu, kontonummer iban, bank account, produit, accountnummer, rekening nr, tili, szamla',
  'source account, from account',
])
/** Part of the name of a column with an account. */
const ACCOUNT_NAME = /acc(?:oun)?t|konto|rachun|iban|rekening|tili|szamla|cuenta|compte|conto|uct/
/** Names of a column of products, such as accounts for savings, behind that of the kind at most. */
const PRODUCTS = namesIn(['product, produkt, produit, producto, prodotto, produto, produktas'])
const AMOUNT = /^[-+(]?\s?[\d.,'\s]*[.,]\d{2}\)?\D{0,5}$/u

/** Maximum number of accounts that are told apart; a column of more is of other parties. */
const accountsMax = 20
/** The same for numbers that few rows share. */
const unsharedMax = 5
const nameLengthMax = 60
const unnamedLengthMin = 3
const digitsMin = 3

/** An account of a table; `party` is the text of its rows as other party, null for several. */
type Account = { name: string; rowCount: number; party: string | null }

/** A column that may be of accounts, its rows counted until they are of too many. */
export type AccountColumn = {
  at: number
  name: string
  /** Whether its name is that of the own account; null for a column without a name. */
  isOwn: boolean | null
  accounts: Map<string, Account>
  rowCount: number
  hasBlank: boolean
  /** Whether all texts look like the numbers of accounts. */
  areNumbers: boolean
}

export type ColumnsOf = {
  headers: readonly string[]
  headerRow: number | null
  mapping: Pick<CsvMapping, 'date' | 'amount' | 'memo' | 'merchant'>
}

/** Returns the columns that may be of accounts: by their names, or in a file without by place. */
export function accountColumns({ headers, headerRow, mapping }: ColumnsOf): AccountColumn[] {
  const { date, amount, memo, merchant } = mapping
  const [day] = date.fields
  const read = [...amount.fields, memo, merchant].map((ref) => ref?.name)
  const dateAt = headers.indexOf(day?.name ?? '')
  return headers.flatMap((header, at) => {
    const name = foldName(header)
    const isOwn = headerRow === 0 ? null : isOwnName(name, at)
    const mayBe =
      isOwn === null ? at < dateAt && !read.includes(header) : isOwn || isAccountName(name)
    if (!mayBe) return []
    return {
      at,
      name,
      isOwn,
      accounts: new Map(),
      rowCount: 0,
      hasBlank: false,
      areNumbers: true,
    }
  })
}

function isOwnName(name: string, at: number): boolean {
  return OWN.has(name) || (at === 0 && OWN_IF_FIRST.has(name)) || (at < 2 && PRODUCTS.has(name))
}

function isAccountName(name: string): boolean {
  return OWN_IF_FIRST.has(name) || ACCOUNT_NAME.test(name)
}

/** Counts a row, of which `party` is the text of the other party, to its account. */
export function countAccount(
  column: AccountColumn,
  { cells, party }: { cells: readonly string[]; party: string },
): void {
  const { accounts } = column
  if (isMany(column)) return
  const cell = cells[column.at] ?? ''
  const key = keyOf(cell)
  column.rowCount += 1
  if (key === '') {
    column.hasBlank = true
    return
  }
  column.areNumbers &&= isNumber(cell)
  const known = accounts.get(key)
  if (known === undefined) {
    accounts.set(key, { name: nameOf(cell), rowCount: 1, party })
  } else {
    known.rowCount += 1
    if (known.party !== party) known.party = null
  }
}

function isMany({ accounts }: AccountColumn): boolean {
  return accounts.size > accountsMax
}

/**
 * Returns the column of the own account: with a name of one, else by its contents. Of several the
 * one that holds more than one account.
 */
export function ownColumn(columns: readonly AccountColumn[]): AccountColumn | undefined {
  const whole = columns.filter((one) => !one.hasBlank && !isMany(one))
  const named = whole.filter((one) => one.isOwn !== false && holdsAccounts(one))
  const either = whole.filter((one) => OWN_IF_FIRST.has(one.name) && isOwnBeside(one, columns))
  const own = named.length > 0 ? named : either
  return own.find(({ accounts }) => accounts.size > 1) ?? own[0]
}

/**
 * Returns whether a named column has numbers of accounts, or one a few names that rows share. In a
 * column without a name shorter ones are kinds, such as `D` and `C`.
 */
function holdsAccounts({ isOwn, accounts, rowCount }: AccountColumn): boolean {
  const all = [...accounts.values()]
  if (isOwn && all.every(({ name }) => /\d/.test(name))) return true
  const areNames = isOwn || all.every(({ name }) => name.length >= unnamedLengthMin)
  return areNames && all.length * 2 <= rowCount + 1
}

/**
 * Returns whether a column whose name is of either party has the own account: numbers beside those
 * of other accounts, or a few accounts that rows share. Other parties have a text each.
 */
function isOwnBeside(column: AccountColumn, columns: readonly AccountColumn[]): boolean {
  const { accounts, rowCount, areNumbers } = column
  const isShared = accounts.size * 2 <= rowCount
  const isFew = accounts.size <= unsharedMax
  if (areNumbers && (isShared || isFew) && columns.some((one) => isOther(one, column))) return true
  const parties = new Set([...accounts.values()].map(({ party }) => party))
  const isOfParties = !parties.has(null) && parties.size === accounts.size
  return isShared && isFew && accounts.size > 1 && !isOfParties
}

/** Returns whether a column has numbers of other accounts: more of them, or none in some rows. */
function isOther(
  { at, name, accounts, hasBlank, areNumbers }: AccountColumn,
  own: AccountColumn,
): boolean {
  if (name === own.name || !areNumbers) return false
  const more = accounts.size - own.accounts.size
  return hasBlank || more > 0 || (more === 0 && at > own.at)
}

/** Returns whether a text looks like the number of an account, or the last digits of one. */
function isNumber(text: string): boolean {
  const plain = text.replaceAll(/x{2,}|[^\p{L}\d]/giu, '')
  const digits = plain.replaceAll(/\D/g, '').length
  return digits >= digitsMin && digits * 2 >= plain.length && !isAmount(text)
}

/** Returns whether a text is an amount with decimals, as a line of balances has it. */
export function isAmount(text: string): boolean {
  return AMOUNT.test(text)
}

/** Returns the name of an account as it is listed, in which a comma parts no names. */
export function nameOf(text: string): string {
  return cut(text.replaceAll(/[,"']/g, ' ').trim(), nameLengthMax)
}

export function keyOf(name: string): string {
  return nameOf(name)
    .replaceAll(/[^\p{L}\p{N}]/gu, '')
    .toUpperCase()
}
