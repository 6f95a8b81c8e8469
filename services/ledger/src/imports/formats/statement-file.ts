import { endOfDay, localDay } from '@coffer/kit/values/day'
import { readCamtAccounts } from './camt/camt.ts'
import { type CsvFormat, readCsv } from './csv/csv.ts'
import { readExportAccounts } from './export/coffer-export.ts'
import { chooseAccount, type FileAccount, listAccounts } from './file-accounts.ts'
import type { FileKind } from './file-kind.ts'
import { readMt940Accounts } from './mt940/mt940.ts'
import { readOfxAccounts } from './ofx/ofx.ts'
import { readQifAccounts } from './qif/qif.ts'
import type { PagesContent } from './rows/pages.ts'
import type { ConvertedSheet, SheetTask } from './sheets/sheet.ts'
import { noneRead } from './skipped-rows.ts'
import {
  type FileStatement,
  type ListedStatement,
  type ReadingSettings,
  type ReceivedStatement,
  statesBalances,
  type Unreadable,
} from './statement.ts'
import { readZipAccounts } from './zip/zip-statements.ts'

export type ReadingFormat =
  | { kind: 'zip' }
  | { kind: Exclude<FileKind, 'csv' | 'zip'> }
  | ({ kind: 'csv' } & CsvFormat)

export type ReadingTask = { bytes: Uint8Array; settings: ReadingSettings; format: ReadingFormat }

const readers = {
  ofx: readOfxAccounts,
  camt053: readCamtAccounts,
  mt940: readMt940Accounts,
  qif: readQifAccounts,
  json: readExportAccounts,
} as const

/**
 * Returns the content of a file, or `Unreadable`: also if all its rows are unreadable. Pure, so a
 * worker thread can run it.
 */
export function readStatementFile(task: ReadingTask): FileStatement | Unreadable {
  return ended(readTask(task), task.settings)
}

function ended(read: FileStatement | Unreadable, { timezone }: ReadingSettings) {
  return 'unreadable' in read ? read : (noneRead(read) ?? withInstant(read, timezone))
}

function accountsOf(
  { bytes, kind }: { bytes: Uint8Array; kind: keyof typeof readers },
  settings: ReadingSettings,
): FileAccount[] | Unreadable {
  const accounts = readers[kind](bytes, settings)
  if ('unreadable' in accounts) return accounts
  return accounts.map(({ read, ...account }) => ({
    ...account,
    read: () => {
      const statement = read()
      return 'unreadable' in statement ? statement : withInstant(statement, settings.timezone)
    },
  }))
}

function readTask(task: ReadingTask): FileStatement | Unreadable {
  const { bytes, settings, format } = task
  if (format.kind === 'csv') return readCsv(bytes, { ...settings, ...format })
  const accounts = accountsOfFile(bytes, format.kind, settings)
  return 'unreadable' in accounts ? accounts : chooseAccount(accounts, settings.stated?.statement)
}

function accountsOfFile(
  bytes: Uint8Array,
  kind: Exclude<FileKind, 'csv'>,
  settings: ReadingSettings,
): FileAccount[] | Unreadable {
  return kind === 'zip'
    ? readZipAccounts(bytes, (file) => accountsOf(file, settings))
    : accountsOf({ bytes, kind }, settings)
}

/** Task of a worker thread: list the accounts of a file. */
export type ListingTask = {
  list: { bytes: Uint8Array; settings: ReadingSettings; kind: Exclude<FileKind, 'csv'> }
}

/** Task of a worker thread: read accounts of a file, each with its settings. */
export type SeveralTask = {
  several: {
    bytes: Uint8Array
    kind: Exclude<FileKind, 'csv'>
    settings: readonly ReadingSettings[]
  }
}

/** A statement in the form that structured cloning passes between threads. */
export type ReadFile = Omit<ReceivedStatement, 'rows'> & { rows: PagesContent }

/** A task of a thread that reads files, and its result. */
export type FileTask = ReadingTask | ListingTask | SeveralTask | SheetTask
export type FileResult =
  | ReadFile
  | { statements: ListedStatement[] }
  | { read: (ReadFile | Unreadable)[] }
  | ConvertedSheet
  | Unreadable

/** Returns the accounts of a file, at most 100, or `Unreadable`. Pure. */
export function listStatements({
  bytes,
  settings,
  kind,
}: ListingTask['list']): { statements: ListedStatement[] } | Unreadable {
  const accounts = accountsOfFile(bytes, kind, settings)
  return 'unreadable' in accounts ? accounts : { statements: listAccounts(accounts) }
}

/**
 * Returns for each of the settings the content of its account in the file, or `Unreadable`. Pure.
 * Accounts whose settings differ only in the account's name share one pass over the file.
 */
export function readStatements({
  bytes,
  kind,
  settings,
}: SeveralTask['several']): (FileStatement | Unreadable)[] {
  const passes = new Map<string, FileAccount[] | Unreadable>()
  return settings.map((one) => {
    const { bankAccount, stated: { statement, ...stated } = {}, ...others } = one
    // Only exports of Coffer, which may be in archives, are read differently for each bank account.
    // Other files are read once for all bank accounts.
    const of = kind === 'json' || kind === 'zip' ? bankAccount : undefined
    const key = JSON.stringify([others, stated, of])
    const accounts = passes.get(key) ?? accountsOfFile(bytes, kind, one)
    passes.set(key, accounts)
    return ended('unreadable' in accounts ? accounts : chooseAccount(accounts, statement), one)
  })
}

/** Dates undated balances at the end of the newest row's day (docs/files.md#balances). */
function withInstant(statement: FileStatement, timezone: string): FileStatement {
  const { balances, rows } = statement
  if (balances.asOf !== null || rows.length === 0 || !statesBalances(balances)) return statement
  let newest = Number.NEGATIVE_INFINITY
  for (const { date } of rows) newest = Math.max(newest, date.getTime())
  const asOf = new Date(endOfDay(localDay(newest, timezone), timezone))
  return { ...statement, balances: { ...balances, asOf } }
}
