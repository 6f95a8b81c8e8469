import { say } from '@coffer/kit/reasons/reasons'
import { isWrittenDay } from '../../day-format.ts'
import type { FileStatement, ListedStatement, Unreadable } from '../../statement.ts'
import { stateOf } from '../csv-roles.ts'
import type { CsvLine } from '../csv-table.ts'
import {
  type AccountColumn,
  accountColumns,
  type ColumnsOf,
  countAccount,
  isAmount,
  keyOf,
  nameOf,
  ownColumn,
} from './account-columns.ts'
import { headAccount } from './head-account.ts'

/** Words in headings that name an account; a number of five digits counts, too. */
const ACCOUNT_WORD = new RegExp(
  'konto|giro|tagesgeld|spar|depot|karte|visa|mastercard|amex|iban|accou?n?t|chec?qu?ing|saving|' +
    'card|compte|livret|carte|cuenta|tarjeta|conto|carta|conta|cart[ãa]o|rekening|kaart|rachun|' +
    'karta|účet|számla|kártya|tili|kort|сч[её]т|карта|口座|カード|账户|帐户|\\d{5}',
  'iu',
)
/**
 * Words for the state of transactions, such as `Pending`. A heading with one of them begins a part
 * of the same account, so it names no further account.
 */
const STATE_WORD = /pending|posted|booked|vorgemerkt|gebucht|attente|pendiente|attesa|offen/iu

/**
 * Value of the choice `statement` for all rows. A client states it if the detected accounts are not
 * the user's, for example those of the other parties.
 */
const allRows = '*'
/** Number of lines above a header in which the name of its account is searched. */
const headingMax = 30
const SHARED_MIN = 2

/**
 * The accounts of a table; names are account numbers if `areNumbers`. `accountOf` returns null for
 * a line without an account, such as a total.
 */
type TableAccounts = {
  accounts: readonly { name: string; rowCount: number }[]
  areNumbers: boolean
  accountOf: (line: CsvLine) => string | null
}

type Section = { from: number; heading: string[][]; rowCount: number }

/**
 * Finds the accounts in one table: by a column of the own account, or by headings above repeated
 * headers (docs/file-formats.md#csv). Lines must be added in file order.
 */
export class CsvAccounts {
  readonly #headers: readonly string[]
  readonly #headerRow: number
  readonly #dateAt: number
  /** Index of the column that names the other party. */
  readonly #partyAt: number
  readonly #columns: readonly AccountColumn[]
  readonly #sections: Section[] = []
  #above: string[][] = []

  constructor(of: ColumnsOf) {
    const { headers, headerRow, mapping } = of
    this.#headers = headers
    this.#headerRow = headerRow ?? 0
    this.#dateAt = headers.indexOf(mapping.date.fields[0]?.name ?? '')
    this.#partyAt = headers.indexOf((mapping.merchant ?? mapping.memo).name ?? '')
    this.#columns = accountColumns(of)
  }

  add({ cells, line }: CsvLine): void {
    const isBelow = line > this.#headerRow
    if (isBelow && isWrittenDay(cells[this.#dateAt] ?? '')) {
      this.#above = []
      const section = this.#sections.at(-1)
      if (section) section.rowCount += 1
      const row = { cells, party: cells[this.#partyAt] ?? '' }
      for (const column of this.#columns) countAccount(column, row)
    } else if (line === this.#headerRow || (isBelow && this.#isHeader(cells))) {
      this.#sections.push({ from: line, heading: this.#above, rowCount: 0 })
      this.#above = []
    } else {
      this.#above.push(cells)
      if (this.#above.length > headingMax) this.#above.shift()
    }
  }

  /** Returns whether a line repeats the header; up to half of its names may differ. */
  #isHeader(cells: readonly string[]): boolean {
    const named = cells.filter((cell) => cell !== '')
    const shared = named.filter((cell) => this.#headers.includes(cell)).length
    return shared >= SHARED_MIN && shared * 2 >= named.length
  }

  /**
   * Returns a predicate of lines, and the account number: for the `stated` account, else for the
   * only account; `*` selects all lines. If the client must choose, `Unreadable` lists accounts.
   */
  choose(stated: string | undefined, currency: string): ChosenAccount | Unreadable {
    const { accounts, accountOf, areNumbers } = this.#found() ?? none
    const [only] = accounts.length === 1 ? accounts : []
    const key = stated === undefined ? null : keyOf(stated)
    const chosen = key === null ? only : accounts.find(({ name }) => key && keyOf(name) === key)
    if (stated === allRows) return { isRead: () => true }
    const head = headAccount(this.#sections[0]?.heading ?? [])
    if (stated === undefined && accounts.length === 0) {
      return { isRead: () => true, ...accountBy(head) }
    }
    if (chosen !== undefined) {
      const isRead = (line: CsvLine) =>
        chosen === only || [null, chosen.name].includes(accountOf(line))
      const number = areNumbers ? chosen.name : chosen === only ? head : null
      return { isRead, ...accountBy(number) }
    }
    if (accounts.length === 0) {
      return { unreadable: say('ACCOUNTS_UNNAMED', { name: nameOf(stated ?? '') }) }
    }
    const names = accounts.map(({ name }) => name).join(', ')
    return {
      unreadable: say('ACCOUNTS_OF_TABLE', { names }),
      asks: 'statement',
      statements: accounts.map((account) => listed(account, currency)),
    }
  }

  /**
   * Returns a predicate of the lines below headings such as `Pending transactions`, if the table
   * has sections without such a heading, too.
   */
  waiting(): (line: number) => boolean {
    const sections = this.#sections.filter(({ rowCount }) => rowCount > 0)
    const states = sections.map(({ heading }) => heading.some(isOfWaiting))
    if (!states.includes(true) || !states.includes(false)) return () => false
    return (line) => states[sections.findLastIndex(({ from }) => from <= line)] ?? false
  }

  #found(): TableAccounts | null {
    const column = ownColumn(this.#columns)
    return column && (column.accounts.size > 1 || this.#sections.length < 2)
      ? byColumn(column)
      : bySection(this.#sections)
  }
}

const none: TableAccounts = { accounts: [], areNumbers: false, accountOf: () => null }

/** Returns whether a line is a heading of transactions that the bank has not booked yet. */
function isOfWaiting(cells: readonly string[]): boolean {
  const [text = '', ...others] = cells.filter((cell) => cell !== '')
  return others.length === 0 && !/\d/.test(text) && stateOf(text) === 'waiting'
}

function accountBy(number: string | null): Pick<FileStatement, 'account'> {
  return number === null ? {} : { account: { number, kind: null } }
}

type ChosenAccount = { isRead: (line: CsvLine) => boolean } & Pick<FileStatement, 'account'>

function listed(
  { name, rowCount }: { name: string; rowCount: number },
  currency: string,
): ListedStatement {
  return { statement: name, number: name, kind: null, currency, rowCount, balance: null }
}

function byColumn({ at, isOwn, accounts, areNumbers }: AccountColumn): TableAccounts {
  return {
    // A number in a column without a name may be that of a statement, so it is no account number.
    areNumbers: areNumbers && isOwn !== null,
    accounts: [...accounts.values()],
    accountOf: ({ cells }) => accounts.get(keyOf(cells[at] ?? ''))?.name ?? null,
  }
}

/**
 * Returns the accounts that the headings of sections name. A section whose heading names none
 * belongs to the account of the section before.
 */
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
  return { accounts, areNumbers: false, accountOf }
}

/** Returns the last line above a header that names an account and is in no other heading. */
function headingOf({ heading, from }: Section, sections: readonly Section[]): string | null {
  const others = sections.filter((one) => one.from !== from).flatMap((one) => one.heading)
  const textOf = (cells: readonly string[]) => cells.filter((cell) => cell !== '').join(' ')
  const known = new Set(others.map(textOf))
  const own = heading.findLast(
    (cells) =>
      !cells.some(isAmount) &&
      !known.has(textOf(cells)) &&
      ACCOUNT_WORD.test(textOf(cells)) &&
      !STATE_WORD.test(textOf(cells)),
  )
  if (own === undefined) return null
  const [first = ''] = own.filter((cell) => cell !== '')
  const isShared = others.some((cells) => cells.includes(first))
  return nameOf(isShared ? textOf(own) : first)
}
