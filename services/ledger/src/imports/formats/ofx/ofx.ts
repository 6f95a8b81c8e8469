import { say } from '@coffer/kit/reasons/reasons'
import { currencies, decimalPlaces } from '@coffer/kit/values/currency'
import { isExact } from '@coffer/kit/values/money'
import { type AmountNotation, readWrittenAmount } from '../amounts/amount-text.ts'
import { chooseDecimalMark } from '../amounts/decimal-mark.ts'
import { type FileAccount, groupByAccount } from '../file-accounts.ts'
import { lineCounter } from '../row-place.ts'
import {
  type FileBalances,
  type FileStatement,
  investments,
  latestOf,
  type MadeChoice,
  type ReadingSettings,
  type Unreadable,
  unknownCurrency,
} from '../statement.ts'
import { cut, noteUnread } from '../statement-rows.ts'
import { rowsMax } from '../statement-values.ts'
import { decodeFile, encodingOf } from '../text/file-text.ts'
import { type FileText, readInstant, readRows } from './ofx-rows.ts'
import {
  childOf,
  countOf,
  descendantsOf,
  type OfxNode,
  readOfxTree,
  textOf,
  transactionsOf,
} from './ofx-tree.ts'

/**
 * Returns the accounts of an OFX, QFX or QBO file (docs/file-formats.md#ofx-qfx-qbo); unreadable
 * rows are in `skipped`. Returns `Unreadable` for a malformed file.
 */
export function readOfxAccounts(
  bytes: Uint8Array,
  settings: ReadingSettings,
): FileAccount[] | Unreadable {
  const encoding = encodingOf(bytes, settings.stated?.encoding)
  const text = decodeFile(bytes, encoding.value)
  const tree = readOfxTree(text)
  if ('unreadable' in tree) return tree
  const statements = [...descendantsOf(tree, 'STMTRS'), ...descendantsOf(tree, 'CCSTMTRS')]
  const countRows = (all: readonly OfxNode[]) =>
    all.reduce((sum, one) => sum + countOf(one, 'STMTTRN'), 0)
  if (countRows(statements) > rowsMax) {
    return { unreadable: say('FILE_ROWS', { max: rowsMax }) }
  }
  if (statements.length === 0) {
    if (descendantsOf(tree, 'INVSTMTRS').length > 0) return investments
    return { unreadable: say('FILE_NO_ACCOUNT') }
  }
  const own = { ...settings, encoding, text, lineAt: lineCounter(text) }
  const groups = groupByAccount(statements, (one) => {
    return { ...accountOf(one), currency: textOf(one, 'CURDEF').toUpperCase() || settings.currency }
  })
  return groups.map(({ parts, ...account }) => ({
    ...account,
    rowCount: countRows(parts),
    read: () =>
      currencies().includes(account.currency)
        ? readStatements(parts, { ...own, currency: account.currency })
        : unknownCurrency,
  }))
}

function accountOf(statement: OfxNode): { number: string; kind: string | null } {
  const bank = childOf(statement, 'BANKACCTFROM')
  const holder = bank ?? childOf(statement, 'CCACCTFROM')
  // If the group has no end tag, its fields were added to the statement.
  const number = textOf(holder, 'ACCTID') || textOf(statement, 'ACCTID')
  const isCard = bank === undefined && statement.name === 'CCSTMTRS'
  const kind = isCard ? 'card' : textOf(bank, 'ACCTTYPE').toLowerCase() || null
  return { number: [textOf(bank, 'BANKID'), number].filter(Boolean).join(' '), kind }
}

/** Returns the merged statements of a bank account, with the balances of the latest instant. */
function readStatements(
  statements: OfxNode[],
  settings: ReadingSettings & FileText & { encoding: MadeChoice },
): FileStatement | Unreadable {
  const { currency, timezone } = settings
  const places = decimalPlaces(currency)
  const transactions = { name: '', text: '', at: 0, children: statements }
  const written = { currency, places, stated: settings.stated?.decimalMark }
  const mark = chooseDecimalMark(amountsOf(transactions, settings.text), written)
  if ('unreadable' in mark) return mark
  const notation = { ...settings, currency, places, mark: mark.mark, timezone }
  const balances = statements.map((one) => readBalances(one, notation))
  const choices = [settings.encoding]
  const latest = latestOf(balances)
  const read = readRows(transactions, { ...notation, booked: latest.current })
  return { currency, balances: latest, mark, choices, ...read }
}

/** Yields the texts of all amounts and balances. */
function* amountsOf(statements: OfxNode, text: string): Generator<string> {
  for (const node of transactionsOf(statements, text)) yield textOf(node, 'TRNAMT')
  for (const group of ['LEDGERBAL', 'AVAILBAL']) {
    for (const node of descendantsOf(statements, group)) yield textOf(node, 'BALAMT')
  }
}

/** Returns a statement's balances in minor units (docs/file-formats.md#ofx-qfx-qbo). */
function readBalances(
  statement: OfxNode,
  notation: AmountNotation & { timezone: string },
): FileBalances {
  const { timezone } = notation
  const ledger = childOf(statement, 'LEDGERBAL')
  const availableNode = childOf(statement, 'AVAILBAL')
  const [bookedText, availableText] = [textOf(ledger, 'BALAMT'), textOf(availableNode, 'BALAMT')]
  const booked = readWrittenAmount(bookedText, notation)
  const available = readWrittenAmount(availableText, notation)
  const availableAsOf = readInstant(textOf(availableNode, 'DTASOF'), timezone)
  const asOf =
    readInstant(textOf(ledger, 'DTASOF'), timezone) ??
    availableAsOf ??
    readInstant(textOf(childOf(statement, 'BANKTRANLIST'), 'DTEND'), timezone)
  const undated = [ledger, availableNode]
    .map((node) => textOf(node, 'DTASOF'))
    .find((text) => text !== '' && readInstant(text, timezone) === null)
  const note = {
    ...(undated === undefined ? {} : { note: say('BALANCE_UNDATED', { text: cut(undated, 60) }) }),
    ...noteUnread([
      { text: bookedText, amount: booked },
      { text: availableText, amount: available },
    ]),
  }
  // For cards, `booked` is the negative debt, and `available` is the limit minus the debt, so the
  // difference of the two is the limit.
  const isCard = statement.name !== 'STMTRS' && booked !== null && available !== null
  const unused = isCard ? available - booked : -1n
  const limit = unused >= 0n && isExact(unused) ? unused : null
  return { current: booked, available, limit, asOf, availableAsOf, ...note }
}
