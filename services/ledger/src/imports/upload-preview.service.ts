import type { Database } from '@coffer/kit/database/database'
import { say } from '@coffer/kit/reasons/reasons'
import { unavailable } from '@coffer/kit/rpc/errors'
import type { BankAccount } from '../book/bank-account.ts'
import { currencyFault, setsBalances } from './file-import.ts'
import { type Compared, previewRowsMax } from './file-preview.ts'
import { listFitCandidates } from './fit/file-fit.sql.ts'
import { findMisfits } from './fit/file-fit.ts'
import type { ReadingChoices } from './formats/reading-choices.ts'
import { inTurns } from './formats/rows/page-turns.service.ts'
import type { Pages } from './formats/rows/pages.ts'
import { addSkipped } from './formats/skipped-rows.ts'
import type {
  FileRow,
  ReadingSettings,
  ReceivedStatement,
  Unreadable,
} from './formats/statement.ts'
import type { Readers } from './formats/statement-pool.client.ts'
import { findReading, listKnownIdentifiers } from './import.sql.ts'
import { type IncomingFile, wholeOf } from './incoming-file.ts'
import { findJoins, withoutKnown } from './joining/join.service.ts'
import { type IdentifiedBy, listJoinable, listPendingRows } from './joining/joined-rows.sql.ts'
import { listBalanceChanges } from './joining/posting.sql.ts'
import { DaySpan, findBooked, JoinSpan } from './joining/row-joins.ts'
import { compareWithStored, type KnownRows } from './known/known-rows.service.ts'
import type { Upload } from './upload.ts'

type Previewed = Compared | Unreadable

/**
 * Dry run: reads a file as its import would, and stores nothing (docs/files.md#preview). Throws
 * `unavailable` while another file of the account is read, or while the bank account's dates are
 * being converted to another timezone.
 */
export async function previewUpload(
  { database, readers }: { database: Database; readers: Readers },
  of: {
    file: IncomingFile
    format: Exclude<Upload['format'], 'csv'>
    bankAccount: BankAccount
    timezone: string
  },
): Promise<Previewed> {
  const { bankAccount, file, format } = of
  const settings = await settingsFor(database, { ...of, choices: file.choices })
  const statement = await readers.read(bankAccount.accountId, async () => ({
    bytes: await wholeOf(file.bytes),
    settings,
    format: { kind: format },
  }))
  if (statement === 'busy') throw unavailable(say('FILE_READ'))
  return compareRead(database, statement, { bankAccount, format })
}

/** Returns the settings by which an import into a bank account reads its file. */
export async function settingsFor(
  database: Database,
  of: { bankAccount: BankAccount; timezone: string; choices: ReadingChoices },
): Promise<ReadingSettings> {
  const { currency, accountId, bankAccountId, name } = of.bankAccount
  const known = await findReading(database, { accountId, bankAccountId, fileId: '' })
  const { timezone, identifierTimezone } = known ?? { ...of, identifierTimezone: of.timezone }
  if (timezone === '') throw unavailable(say('TIMEZONE_BUSY'))
  const bankAccount = { bankAccountId, name }
  return { currency, timezone, identifierTimezone, bankAccount, stated: of.choices }
}

/** Compares a file with the stored rows; returns `Unreadable` if its import would refuse it. */
export async function compareRead(
  database: Database,
  read: ReceivedStatement | Unreadable,
  { bankAccount, format }: { bankAccount: BankAccount; format: Upload['format'] },
): Promise<Previewed> {
  if ('unreadable' in read) return read
  const fault = currencyFault(read, bankAccount)
  return fault === null ? compare(database, bankAccount, { read, format }) : { unreadable: fault }
}

/** Compares a file with the stored rows, as its import would. */
export async function compare(
  database: Database,
  key: { accountId: string; bankAccountId: string },
  { read, ...by }: { read: ReceivedStatement } & IdentifiedBy,
): Promise<Compared> {
  const { rows: all, plain: _plain, ...statement } = read
  return database.transaction(async (tx) => {
    const known = await compareWithStored(tx, key, read)
    const pending = await listPendingRows(tx, key)
    const shown: Compared['shown'][number][] = []
    const stored = new Set<string>()
    const isKnown = (row: FileRow) =>
      known.isStoredOtherwise(row) || stored.has(row.uploadIdentifier)
    const [span, whole] = [new JoinSpan(), new DaySpan()]
    let [knownCount, bookedCount] = [0, 0]
    for await (const page of inTurns(all.pages())) {
      const rows = known.resolve(page)
      const identifiers = rows.map((row) => row.uploadIdentifier)
      const found = await listKnownIdentifiers({ pool: tx }, key, identifiers)
      for (const identifier of found) stored.add(identifier)
      for (const row of rows) {
        whole.add(row)
        const isBooked = findBooked(row, pending) !== undefined
        if (isBooked) bookedCount += 1
        if (shown.length < previewRowsMax) shown.push({ row, isKnown: isKnown(row), isBooked })
        if (isKnown(row)) knownCount += 1
        else span.add(row)
      }
    }
    const compared = shown.map(({ row }) => row)
    const candidates = await listFitCandidates(tx, key.accountId, compared)
    const transactions = withoutKnown(listJoinable(tx, key, { span, whole, ...by }), stored)
    const chosen = candidates.find((one) => one.bankAccountId === key.bankAccountId)
    const rowCount = all.length - known.corrections.length
    const of = { balances: read.balances, newCount: BigInt(rowCount - knownCount + bookedCount) }
    const newRows = newRowsOf(all, { known, isKnown })
    const offered = await findJoins(newRows, transactions)
    return {
      ...statement,
      shown,
      rowCount,
      knownCount,
      setsBalances: chosen !== undefined && setsBalances(chosen, of),
      skipped: addSkipped(read.skipped, known.corrections),
      ...offered,
      balanceChanges: await listBalanceChanges(tx, key, offered.joins),
      misfits: findMisfits(
        { ...statement, comparedCount: compared.length },
        { all: candidates, bankAccountId: key.bankAccountId },
      ),
    }
  })
}

function* newRowsOf(
  rows: Pages<FileRow>,
  { known, isKnown }: { known: KnownRows; isKnown: (row: FileRow) => boolean },
): Generator<FileRow[]> {
  for (const page of rows.pages()) yield known.resolve(page).filter((row) => !isKnown(row))
}
