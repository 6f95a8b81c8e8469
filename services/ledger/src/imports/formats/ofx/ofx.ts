import { currencies, decimalPlaces } from '@coffer/kit/values/currency'
import { type AmountNotation, readWrittenAmount } from '../amounts/amount-text.ts'
import { chooseDecimalMark } from '../amounts/decimal-mark.ts'
import { decodeFile } from '../file-text.ts'
import { lineCounter } from '../row-place.ts'
import {
  type FileBalances,
  type FileStatement,
  latestOf,
  type ReadingSettings,
  type Unreadable,
} from '../statement.ts'
import { rowsMax } from '../statement-values.ts'
import { readInstant, readRows } from './ofx-rows.ts'
import { childOf, countOf, descendantsOf, type OfxNode, readOfxTree, textOf } from './ofx-tree.ts'

/**
 * Returns the balances and rows of the account in an OFX, QFX or QBO file
 * (docs/file-formats.md#ofx-qfx-qbo); unreadable rows are in `skipped`. Returns `Unreadable` for a
 * malformed file or a file about several bank accounts.
 */
export function readOfx(bytes: Uint8Array, settings: ReadingSettings): FileStatement | Unreadable {
  const text = decodeFile(bytes, settings.stated?.encoding)
  const tree = readOfxTree(text)
  if ('unreadable' in tree) return tree
  const statements = [...descendantsOf(tree, 'STMTRS'), ...descendantsOf(tree, 'CCSTMTRS')]
  const transactions = statements.reduce((sum, one) => sum + countOf(one, 'STMTTRN'), 0)
  if (transactions > rowsMax) {
    return { unreadable: `The file has more than ${rowsMax} transactions` }
  }
  const accounts = new Set(statements.map(accountOf))
  if (accounts.size > 1) {
    return { unreadable: `The file holds ${accounts.size} accounts: export one account per file` }
  }
  const codes = new Set(
    statements.map((one) => textOf(one, 'CURDEF').toUpperCase() || settings.currency),
  )
  const [currency] = codes
  if (currency === undefined) {
    return { unreadable: 'The file holds no statement of a bank account or a credit card' }
  }
  if (codes.size > 1 || !currencies().includes(currency)) {
    return { unreadable: 'The file is not in one currency that this server knows' }
  }
  return readStatements(statements, { ...settings, currency, lineAt: lineCounter(text) })
}

/** Returns a bank account's bank, number and type (never stored), to detect several in a file. */
function accountOf(statement: OfxNode): string {
  const account = childOf(statement, 'BANKACCTFROM') ?? childOf(statement, 'CCACCTFROM')
  return ['BANKID', 'ACCTID', 'ACCTTYPE'].map((field) => textOf(account, field)).join(' ')
}

/** Returns the merged statements of a bank account, with the balances of the latest instant. */
function readStatements(
  statements: OfxNode[],
  settings: ReadingSettings & { lineAt: (index: number) => number },
): FileStatement | Unreadable {
  const { currency, timezone } = settings
  const places = decimalPlaces(currency)
  const transactions = { name: '', text: '', at: 0, children: statements }
  const written = { currency, places, stated: settings.stated?.decimalMark }
  const mark = chooseDecimalMark(amountsOf(transactions), written)
  if ('unreadable' in mark) return mark
  const notation = { ...settings, currency, places, mark: mark.mark, timezone }
  const balances = statements.map((one) => readBalances(one, notation))
  return { currency, balances: latestOf(balances), mark, ...readRows(transactions, notation) }
}

/** Returns the amounts of transactions and balances as written. */
function amountsOf(statements: OfxNode): string[] {
  const texts = (group: string, field: string) =>
    descendantsOf(statements, group).map((node) => textOf(node, field))
  const balances = ['LEDGERBAL', 'AVAILBAL'].flatMap((group) => texts(group, 'BALAMT'))
  return [...texts('STMTTRN', 'TRNAMT'), ...balances]
}

/** Returns a statement's balances in minor units (docs/file-formats.md#ofx-qfx-qbo). */
function readBalances(
  statement: OfxNode,
  notation: AmountNotation & { timezone: string },
): FileBalances {
  const { timezone } = notation
  const ledger = childOf(statement, 'LEDGERBAL')
  const availableNode = childOf(statement, 'AVAILBAL')
  const booked = readWrittenAmount(textOf(ledger, 'BALAMT'), notation)
  const available = readWrittenAmount(textOf(availableNode, 'BALAMT'), notation)
  const availableAsOf = readInstant(textOf(availableNode, 'DTASOF'), timezone)
  const asOf =
    readInstant(textOf(ledger, 'DTASOF'), timezone) ??
    availableAsOf ??
    readInstant(textOf(childOf(statement, 'BANKTRANLIST'), 'DTEND'), timezone)
  const instants = { asOf, availableAsOf }
  if (statement.name === 'STMTRS' || booked === null) {
    return { current: booked, available, limit: null, ...instants }
  }
  // A debt is negative, and the unused credit is the limit less the debt.
  const limit = available === null ? null : available - booked
  return {
    current: booked,
    available,
    limit: limit !== null && limit >= 0n ? limit : null,
    ...instants,
  }
}
