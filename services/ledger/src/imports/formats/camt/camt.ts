import { say } from '@coffer/kit/reasons/reasons'
import { currencies, decimalPlaces } from '@coffer/kit/values/currency'
import { endOfDay, readDay } from '@coffer/kit/values/day'
import { fromLocal } from '@coffer/kit/values/time'
import { DateTime } from 'luxon'
import { type FileAccount, groupByAccount } from '../file-accounts.ts'
import { placeOf } from '../row-place.ts'
import {
  type FileBalances,
  type FileStatement,
  latestOf,
  noBalances,
  type ReadingSettings,
  type Unreadable,
  unknownCurrency,
} from '../statement.ts'
import { type FoundRow, nameRows, noteUnread } from '../statement-rows.ts'
import { rowsMax, withinYears } from '../statement-values.ts'
import { decodeFile, encodingOf } from '../text/file-text.ts'
import { detailsOf, type RowSettings, readCamtAmount, readEntry } from './camt-rows.ts'
import { childrenOf, nodeAt, readXmlTree, textAt, textsBelow, type XmlNode } from './xml-tree.ts'

/** Maximum number of statements in a file: enough for a daily statement over 27 years. */
const STATEMENTS_MAX = 10_000

const DOCUMENT = 'Document'
/** Maximum depth of a document in envelopes. */
const ENVELOPES_MAX = 4

/** The messages of ISO 20022 that hold entries of an account: CAMT.053, CAMT.052, CAMT.054. */
const MESSAGES = [
  ['BkToCstmrStmt', 'Stmt'],
  ['BkToCstmrAcctRpt', 'Rpt'],
  ['BkToCstmrDbtCdtNtfctn', 'Ntfctn'],
] as const
const NOTIFICATION = 'BkToCstmrDbtCdtNtfctn'

/**
 * Returns the bank accounts of a CAMT.052, CAMT.053 or CAMT.054 file (docs/file-formats.md#camt);
 * unreadable rows are in `skipped`. Returns `Unreadable` for a malformed file.
 */
export function readCamtAccounts(
  bytes: Uint8Array,
  settings: ReadingSettings,
): FileAccount[] | Unreadable {
  const encoding = encodingOf(bytes, settings.stated?.encoding)
  const root = readXmlTree(decodeFile(bytes, encoding.value))
  if ('unreadable' in root) return root
  const documents = documentsIn(root)
  const statements = documents.flatMap((document) =>
    MESSAGES.flatMap(([message, part]) => childrenOf(nodeAt(document, message), part)),
  )
  const counts = new Map(statements.map((one) => [one, countTransactions(one)]))
  const countRows = (all: readonly XmlNode[]) =>
    all.reduce((sum, one) => sum + (counts.get(one) ?? 0), 0)
  if (countRows(statements) > rowsMax || statements.length > STATEMENTS_MAX) {
    return { unreadable: say('FILE_ROWS', { max: rowsMax }) }
  }
  if (statements.length === 0) {
    return { unreadable: say('FILE_NO_STATEMENT', { formats: 'CAMT.052, 053 or 054' }) }
  }
  const stated = new Map(statements.map((one) => [accountOf(one), currencyOf(one)]))
  for (const one of statements) {
    if (currencyOf(one) !== '') stated.set(accountOf(one), currencyOf(one))
  }
  const groups = groupByAccount(statements, (one) => {
    const number = accountOf(one)
    const currency = currencyOf(one) || stated.get(number) || settings.currency
    return { number, kind: null, currency }
  })
  const needsReference = documents.some((one) => nodeAt(one, NOTIFICATION) !== undefined)
  return groups.map(({ parts, ...account }) => {
    const { currency } = account
    const read = () => {
      if (!currencies().includes(currency)) return unknownCurrency
      const places = decimalPlaces(currency)
      const read = readStatements(parts, { ...settings, currency, places, needsReference })
      return 'unreadable' in read ? read : { ...read, choices: [encoding] }
    }
    return { ...account, rowCount: countRows(parts), read }
  })
}

/** Returns the documents in an envelope, such as that of a business message; else the root. */
function documentsIn(root: XmlNode): readonly XmlNode[] {
  let level: readonly XmlNode[] = [root]
  for (let depth = 0; depth < ENVELOPES_MAX && root.name !== DOCUMENT; depth += 1) {
    level = level.flatMap((one) => [...(one.children?.values() ?? [])].flat())
    const documents = level.filter(({ name }) => name === DOCUMENT)
    if (documents.length > 0) return documents
  }
  return [root]
}

/** Counts the transactions of all entries; an entry without details counts as one. */
function countTransactions(statement: XmlNode): number {
  let count = 0
  for (const entry of entriesOf([statement])) count += Math.max(1, detailsOf(entry).length)
  return count
}

function* entriesOf(statements: readonly XmlNode[]): Generator<XmlNode> {
  for (const { entries } of statements) if (entries) yield* entries
}

function accountOf(statement: XmlNode): string {
  const id = nodeAt(statement, 'Acct', 'Id')
  return `${textAt(id, 'IBAN')} ${textAt(id, 'Othr', 'Id')}`.replaceAll(' ', '')
}

function currencyOf(statement: XmlNode): string {
  const code = textAt(statement, 'Acct', 'Ccy') || currencyOfAmounts(statement)
  return code.trim().toUpperCase()
}

function currencyOfAmounts(statement: XmlNode): string {
  const codeOf = (one: XmlNode) => nodeAt(one, 'Amt')?.attributes.Ccy
  const ofBalance = childrenOf(statement, 'Bal').map(codeOf).find(Boolean)
  if (ofBalance) return ofBalance
  for (const entry of entriesOf([statement])) {
    const code = codeOf(entry)
    if (code) return code
  }
  return ''
}

function readStatements(
  statements: readonly XmlNode[],
  settings: RowSettings,
): FileStatement | Unreadable {
  const read = nameRows(findRows(statements, settings))
  if (read.rows.length === 0 && read.skipped.some(({ reason }) => reason === 'identifier')) {
    return { unreadable: say('NOTIFICATIONS_BARE') }
  }
  return {
    currency: settings.currency,
    balances: latestOf(statements.map((one) => readBalances(one, settings))),
    ...read,
  }
}

function* findRows(statements: readonly XmlNode[], settings: RowSettings): Generator<FoundRow> {
  for (const entry of entriesOf(statements)) {
    const place = () => placeOf(entry.line, textsBelow(entry))
    for (const one of readEntry(entry, settings)) yield { ...one, place }
  }
}

/** Returns the closing booked and available balance in minor units; a debit balance is negative. */
function readBalances(statement: XmlNode, settings: RowSettings): FileBalances {
  const byCode = new Map(
    childrenOf(statement, 'Bal').map((one) => [textAt(one, 'Tp', 'CdOrPrtry', 'Cd'), one]),
  )
  const booked = byCode.get('CLBD')
  const available = byCode.get('CLAV')
  const availableAsOf = instantOf(available, settings.timezone)
  const [ofBooked, ofAvailable] = [balanceOf(booked, settings), balanceOf(available, settings)]
  return {
    ...noBalances,
    current: ofBooked,
    available: ofAvailable,
    asOf: instantOf(booked, settings.timezone) ?? availableAsOf,
    availableAsOf,
    ...noteUnread([
      { text: writtenOf(booked), amount: ofBooked },
      { text: writtenOf(available), amount: ofAvailable },
    ]),
  }
}

function writtenOf(balance: XmlNode | undefined): string {
  const { Ccy = '' } = nodeAt(balance, 'Amt')?.attributes ?? {}
  return `${textAt(balance, 'Amt')} ${Ccy}`.trim()
}

function balanceOf(balance: XmlNode | undefined, settings: RowSettings): bigint | null {
  const amount = readCamtAmount(balance, settings)
  if (typeof amount === 'string') return null
  return textAt(balance, 'CdtDbtInd') === 'DBIT' ? -amount : amount
}

/** Returns the instant of a balance; if only dated, the last second of the day. Null if invalid. */
function instantOf(balance: XmlNode | undefined, timezone: string): Date | null {
  const written = textAt(balance, 'Dt', 'DtTm')
  const time = DateTime.fromISO(written, { zone: 'utc' })
  if (time.isValid) {
    const hasOffset = /T.*(?:Z|[+-]\d\d(?::?\d\d)?)$/i.test(written)
    const instant = hasOffset ? time.toMillis() : fromLocal(time.toMillis(), timezone)
    return withinYears(new Date(instant))
  }
  const day = readDay(textAt(balance, 'Dt', 'Dt').slice(0, 10))
  return day === null ? null : new Date(endOfDay(day, timezone))
}
