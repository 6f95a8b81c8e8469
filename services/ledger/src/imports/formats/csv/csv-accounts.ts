import { say } from '@coffer/kit/reasons/reasons'
import { isWrittenDay } from '../day-format.ts'
import type { ListedStatement, Unreadable } from '../statement.ts'
import { cut } from '../statement-rows.ts'
import type { CsvMapping } from './csv-mapping.ts'
import { foldName, namesIn } from './csv-roles.ts'
import type { CsvLine } from './csv-table.ts'

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
 * Names that also stand for the other party's account: the own one in the first column, or before a
 * column that another account is named in.
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
/** Words of a heading that name an account, besides a number of five digits. */
const ACCOUNT_WORD = new RegExp(
  'konto|giro|tagesgeld|spar|depot|karte|visa|mastercard|amex|iban|accou?n?t|chec?qu?ing|saving|' +
    'card|compte|livret|carte|cuenta|tarjeta|conto|carta|conta|cart[ãa]o|rekening|kaart|rachun|' +
    'karta|účet|számla|kártya|tili|kort|сч[её]т|карта|口座|カード|账户|帐户|\\d{5}',
  'iu',
)
/** Headings of rows of one account by their state, and an amount in a line of balances. */
const STATE_WORD = /pending|posted|booked|vorgemerkt|gebucht|attente|pendiente|attesa|offen/iu
const AMOUNT = /^[-+(]?\s?[\d.,'\s]*[.,]\d{2}\)?\D{0,5}$/u

/** Stated for a table whose accounts, such as those of the other parties, are not parted. */
const allRows = '*'
/** Maximum number of accounts that are told apart; a column of more is of other parties. */
const accountsMax = 20
const nameLengthMax = 60
const unnamedLengthMin = 3
/** Number of lines above a header that are kept to name its account. */
const headingMax = 30
const SHARED_MIN = 2

/** The accounts of a table; `accountOf` is null for a line of none, such as a total. */
type TableAccounts = {
  accounts: readonly { name: string; rowCount: number }[]
  accountOf: (line: CsvLine) => string | null
}

type Column = {
  at: number
  isNamed: boolean
  accounts: Map<string, { name: string; rowCount: number }>
}
type Section = { from: number; heading: string[][]; rowCount: number }

/**
 * Finds several accounts in one table: by a column of the own account, or by headings above headers
 * that are repeated (docs/file-formats.md#csv). Takes the lines in the order of the file.
 */
export class CsvAccounts {
  readonly #headers: readonly string[]
  readonly #headerRow: number
  readonly #dateAt: number
  #columns: Column[]
  readonly #sections: Section[] = []
  #above: string[][] = []

  constructor({ headers, headerRow, mapping }: CsvAccountsOf) {
    this.#headers = headers
    this.#headerRow = headerRow ?? 0
    this.#dateAt = headers.indexOf(mapping.date.fields[0]?.name ?? '')
    const isNamed = headerRow !== 0
    const places = isNamed ? namedPlaces(headers.map(foldName)) : this.#unnamed(mapping)
    this.#columns = places.map((at) => ({ at, isNamed, accounts: new Map() }))
  }

  /** Returns the columns before the day that the mapping does not read, in a file without names. */
  #unnamed({ amount, memo, merchant }: CsvAccountsOf['mapping']): number[] {
    const read = [...amount.fields, memo, merchant].map((ref) => ref?.name)
    const before = this.#headers.slice(0, Math.max(0, this.#dateAt))
    return [...before.keys()].filter((at) => !read.includes(this.#headers[at]))
  }

  add({ cells, line }: CsvLine): void {
    const isBelow = line > this.#headerRow
    if (isBelow && isWrittenDay(cells[this.#dateAt] ?? '')) {
      this.#above = []
      const section = this.#sections.at(-1)
      if (section) section.rowCount += 1
      this.#columns = this.#columns.filter((column) => count(column, cells))
    } else if (line === this.#headerRow || (isBelow && this.#isHeader(cells))) {
      this.#sections.push({ from: line, heading: this.#above, rowCount: 0 })
      this.#above = []
    } else {
      this.#above.push(cells)
      if (this.#above.length > headingMax) this.#above.shift()
    }
  }

  /** Returns whether a line is a header again, maybe with some columns of another account. */
  #isHeader(cells: readonly string[]): boolean {
    const named = cells.filter((cell) => cell !== '')
    const shared = named.filter((cell) => this.#headers.includes(cell)).length
    return shared >= SHARED_MIN && shared * 2 >= named.length
  }

  /**
   * Returns which lines are of the account that is `stated`, else of the only one; all if `*` is
   * stated. Of several accounts none is guessed.
   */
  choose(stated: string | undefined, currency: string): ((line: CsvLine) => boolean) | Unreadable {
    const { accounts, accountOf } = this.#found() ?? { accounts: [], accountOf: () => null }
    if (stated === allRows || (stated === undefined && accounts.length < 2)) return () => true
    const chosen = accounts.find(({ name }) => stated && keyOf(name) === keyOf(stated))
    if (chosen !== undefined) {
      const isOnly = accounts.length === 1
      return (line) => isOnly || [null, chosen.name].includes(accountOf(line))
    }
    if (accounts.length === 0) {
      return { unreadable: say('ACCOUNTS_UNNAMED', { name: cut(stated ?? '', nameLengthMax) }) }
    }
    const names = accounts.map(({ name }) => name).join(', ')
    return {
      unreadable: say('ACCOUNTS_OF_TABLE', { names }),
      asks: 'statement',
      statements: accounts.map((account) => listed(account, currency)),
    }
  }

  #found(): TableAccounts | null {
    const columns = this.#columns.filter(isOfAccounts)
    const column = columns.find(({ accounts }) => accounts.size > 1) ?? columns[0]
    return column && (column.accounts.size > 1 || this.#sections.length < 2)
      ? byColumn(column)
      : bySection(this.#sections)
  }
}

export type CsvAccountsOf = {
  headers: readonly string[]
  headerRow: number | null
  mapping: Pick<CsvMapping, 'date' | 'amount' | 'memo' | 'merchant'>
}

function listed(
  { name, rowCount }: { name: string; rowCount: number },
  currency: string,
): ListedStatement {
  return { statement: name, number: name, kind: null, currency, rowCount, balance: null }
}

/** Returns the columns of the own account; without one, those before another account's. */
function namedPlaces(names: readonly string[]): number[] {
  const places = [...names.keys()]
  const own = places.filter((at) => isOwn(names[at] ?? '', at))
  return own.length > 0 ? own : places.filter((at) => isBeforeOther(names, at))
}

function isOwn(name: string, at: number): boolean {
  return OWN.has(name) || (at === 0 && OWN_IF_FIRST.has(name)) || (at < 2 && PRODUCTS.has(name))
}

/** Returns whether a name that is of either party is followed by that of another account. */
function isBeforeOther(names: readonly string[], at: number): boolean {
  const name = names[at] ?? ''
  const behind = names.slice(at + 1)
  return OWN_IF_FIRST.has(name) && behind.some((one) => one !== name && ACCOUNT_NAME.test(one))
}

/** Counts a row to its account; returns false if the column is not of few accounts. */
function count({ at, accounts }: Column, cells: readonly string[]): boolean {
  const cell = cells[at] ?? ''
  const key = keyOf(cell)
  const known = accounts.get(key)
  if (known) known.rowCount += 1
  else accounts.set(key, { name: nameOf(cell), rowCount: 1 })
  return key !== '' && accounts.size <= accountsMax
}

/**
 * Returns whether a named column has numbers of accounts, or one a few names that rows share. In a
 * column without a name shorter ones are kinds, such as `D` and `C`.
 */
function isOfAccounts({ isNamed, accounts }: Column): boolean {
  const all = [...accounts.values()]
  const rowCount = all.reduce((sum, one) => sum + one.rowCount, 0)
  if (isNamed && all.every(({ name }) => /\d/.test(name))) return true
  const areNames = isNamed || all.every(({ name }) => name.length >= unnamedLengthMin)
  return areNames && all.length * 2 <= rowCount + 1
}

function byColumn({ at, accounts }: Column): TableAccounts {
  return {
    accounts: [...accounts.values()],
    accountOf: ({ cells }) => accounts.get(keyOf(cells[at] ?? ''))?.name ?? null,
  }
}

/** Returns the accounts by the headings of sections with rows; one without its own goes on. */
function bySection(all: readonly Section[]): TableAccounts | null {
  const sections = all.filter(({ rowCount }) => rowCount > 0)
  const accounts: { name: string; rowCount: number }[] = []
  const starts: { from: number; name: string }[] = []
  for (const section of sections) {
    const name = headingOf(section, sections) ?? accounts.at(-1)?.name ?? 'first'
    const known = accounts.find((one) => one.name === name)
    if (known) known.rowCount += section.rowCount
    else accounts.push({ name, rowCount: section.rowCount })
    starts.push({ from: section.from, name })
  }
  if (accounts.length < 2) return null
  const accountOf = ({ line }: CsvLine) => starts.findLast(({ from }) => from <= line)?.name ?? null
  return { accounts, accountOf }
}

/** Returns the last line above a header that names its account as no other heading does. */
function headingOf({ heading, from }: Section, sections: readonly Section[]): string | null {
  const others = sections.filter((one) => one.from !== from).flatMap((one) => one.heading)
  const textOf = (cells: readonly string[]) => cells.filter((cell) => cell !== '').join(' ')
  const known = new Set(others.map(textOf))
  const own = heading.findLast(
    (cells) =>
      !cells.some((cell) => AMOUNT.test(cell)) &&
      !known.has(textOf(cells)) &&
      ACCOUNT_WORD.test(textOf(cells)) &&
      !STATE_WORD.test(textOf(cells)),
  )
  if (own === undefined) return null
  const [first = ''] = own.filter((cell) => cell !== '')
  const isShared = others.some((cells) => cells.includes(first))
  return nameOf(isShared ? textOf(own) : first)
}

/** Returns the name of an account as it is listed, in which a comma parts no names. */
function nameOf(text: string): string {
  return cut(text.replaceAll(/[,"']/g, ' ').trim(), nameLengthMax)
}

function keyOf(name: string): string {
  return nameOf(name)
    .replaceAll(/[^\p{L}\p{N}]/gu, '')
    .toUpperCase()
}
