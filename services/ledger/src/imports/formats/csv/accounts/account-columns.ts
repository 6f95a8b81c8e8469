import { cut } from '../../statement-rows.ts'
import type { CsvMapping } from '../csv-mapping.ts'
import { foldName, namesIn, stateOf } from '../csv-roles.ts'

/** Names of columns of the user's own account. */
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
 * Names of columns of an account, either the user's own or the other party's. As the first column
 * it is the own account; elsewhere the contents decide.
 */
const OWN_IF_FIRST = namesIn([
  'kontonummer, konto nr, kontonr, iban, iban bban, numer rachunku, nr rachunku, numer konta',
  'cislo uctu, kontonummer iban, bank account, produit, accountnummer, rekening nr, tili, szamla',
  'source account, from account',
])
/** Matches folded column names that contain a word for an account, such as `kontonummer`. */
const ACCOUNT_NAME = /acc(?:oun)?t|konto|rachun|iban|rekening|tili|szamla|cuenta|compte|conto|uct/
/**
 * Names of columns of products, such as a savings account. Such a column is the own account only if
 * it is one of the first two columns.
 */
const PRODUCTS = namesIn(['product, produkt, produit, producto, prodotto, produto, produktas'])
const AMOUNT = /^[-+(]?\s?[\d.,'\s]*[.,]\d{2}\)?\D{0,5}$/u

/** Maximum number of own accounts: a column with more has accounts of other parties. */
const accountsMax = 20
/**
 * Maximum number of accounts in a column with an ambiguous name: more accounts with only a few rows
 * each are those of other parties.
 */
const unsharedMax = 5
const nameLengthMax = 60
const unnamedLengthMin = 3
const digitsMin = 3

/** An account in a table; `party` is the other party of all its rows, null if they differ. */
type Account = { name: string; rowCount: number; party: string | null }

/** A column that may hold accounts. Rows are counted until it has too many accounts. */
export type AccountColumn = {
  at: number
  name: string
  /** Whether the column is named like the own account; null for a column without a name. */
  isOwn: boolean | null
  accounts: Map<string, Account>
  rowCount: number
  hasBlank: boolean
  /** Whether all texts resemble account numbers. */
  areNumbers: boolean
}

export type ColumnsOf = {
  headers: readonly string[]
  headerRow: number | null
  mapping: Pick<CsvMapping, 'date' | 'amount' | 'memo' | 'merchant'>
}

/** Returns columns that may hold accounts: by name, or without a header, those before the date. */
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

/** Returns whether a text above a header announces the number of the own account. */
export function isOwnLabel(text: string): boolean {
  const name = foldName(text)
  return OWN.has(name) || OWN_IF_FIRST.has(name)
}

function isAccountName(name: string): boolean {
  return OWN_IF_FIRST.has(name) || ACCOUNT_NAME.test(name)
}

/** Counts a row for the account in its cell; `party` is the name of the other party. */
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
 * Returns the column of the own account: by its name, else by its contents. Prefers a column with
 * more than one account.
 */
export function ownColumn(columns: readonly AccountColumn[]): AccountColumn | undefined {
  const whole = columns.filter((one) => !one.hasBlank && !isMany(one))
  const named = whole.filter((one) => one.isOwn !== false && holdsAccounts(one))
  const either = whole.filter((one) => OWN_IF_FIRST.has(one.name) && isOwnBeside(one, columns))
  const own = named.length > 0 ? named : either
  return own.find(({ accounts }) => accounts.size > 1) ?? own[0]
}

/**
 * Returns whether a column holds accounts of the user: numbers if its name is one for the own
 * account, or a few names that several rows share. In a column without a name, short texts, such as
 * `D` and `C`, are no accounts.
 */
function holdsAccounts({ isOwn, accounts, rowCount }: AccountColumn): boolean {
  const all = [...accounts.values()]
  if (isOwn && all.every(({ name }) => /\d/.test(name))) return true
  const isName = (name: string) => name.length >= unnamedLengthMin && stateOf(name) === null
  const areNames = isOwn || all.every(({ name }) => isName(name))
  return areNames && all.length * 2 <= rowCount + 1
}

/**
 * Returns whether a column with an ambiguous name holds the own account: account numbers, if
 * another column has the other parties' accounts, or a few accounts that rows share. If each
 * account occurs with one party only, the accounts are those of the other parties.
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

/**
 * Returns whether a column holds other parties' accounts: it has blank cells, or more different
 * accounts than the column `own`, or as many and is further right.
 */
function isOther(
  { at, name, accounts, hasBlank, areNumbers }: AccountColumn,
  own: AccountColumn,
): boolean {
  if (name === own.name || !areNumbers) return false
  const more = accounts.size - own.accounts.size
  return hasBlank || more > 0 || (more === 0 && at > own.at)
}

/** Returns whether a text resembles an account number, or the last digits of one. */
export function isNumber(text: string): boolean {
  const plain = text.replaceAll(/x{2,}|[^\p{L}\d]/giu, '')
  const digits = plain.replaceAll(/\D/g, '').length
  return digits >= digitsMin && digits * 2 >= plain.length && !isAmount(text)
}

/** Returns whether a text is an amount with decimals, as in a balance line. */
export function isAmount(text: string): boolean {
  return AMOUNT.test(text)
}

/** Returns the name of an account without commas, which separate names in lists. */
export function nameOf(text: string): string {
  return cut(text.replaceAll(/[,"']/g, ' ').trim(), nameLengthMax)
}

export function keyOf(name: string): string {
  return nameOf(name)
    .replaceAll(/[^\p{L}\p{N}]/gu, '')
    .toUpperCase()
}
