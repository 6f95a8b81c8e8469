import type { Database } from '@coffer/kit/database/database'
import { unavailable } from '@coffer/kit/rpc/errors'
import type { BankAccount } from '../book/bank-account.ts'
import { currencyFault } from './file-import.ts'
import type { Compared } from './file-preview.ts'
import type { FileRow, FileStatement, Unreadable } from './formats/statement.ts'
import type { Readers } from './formats/statement-pool.client.ts'
import { findReading, listKnownIdentifiers } from './import.sql.ts'
import { type IncomingFile, wholeOf } from './incoming-file.ts'
import { listJoinable } from './joining/joined-rows.sql.ts'
import { findJoins } from './joining/row-joins.ts'
import { listStoredBookings } from './known/joined-bookings.sql.ts'
import { bookingsOf, withoutStored } from './known/joined-bookings.ts'
import { listStoredRows } from './known/reused-identifiers.sql.ts'
import { besideStored, identifiersOf } from './known/reused-identifiers.ts'
import type { Upload } from './upload.ts'

type Previewed = Compared | Unreadable

/**
 * Reads a file as its import would, and stores nothing (docs/files.md#preview). Throws
 * `unavailable` while another file of the account is read, or its days are being moved.
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
  const { accountId, bankAccountId, name } = bankAccount
  const key = { accountId, bankAccountId }
  const known = await findReading(database, { ...key, fileId: '' })
  const { timezone, identifierTimezone } = known ?? { ...of, identifierTimezone: of.timezone }
  if (timezone === '') throw unavailable('the timezone of the account is being changed')
  const statement = await readers.read(accountId, async () => ({
    bytes: await wholeOf(file.bytes),
    settings: {
      currency: bankAccount.currency,
      timezone,
      identifierTimezone,
      bankAccount: { bankAccountId, name },
      stated: file.choices,
    },
    format: { kind: format },
  }))
  if (statement === 'busy') throw unavailable('another file of this account is read: try again')
  if ('unreadable' in statement) return statement
  const fault = currencyFault(statement, bankAccount)
  return fault === null
    ? compare(database, key, { read: statement, format })
    : { unreadable: fault }
}

/** Compares a file with the stored rows, as its import would. */
export async function compare(
  database: Database,
  key: { accountId: string; bankAccountId: string },
  { read, format }: { read: FileStatement; format: Upload['format'] },
): Promise<Compared> {
  return database.transaction(async (tx) => {
    const statement = besideStored(read, await listStoredRows(tx, key, identifiersOf(read.rows)))
    const { rows } = statement
    const bookings = await listStoredBookings(tx, key, bookingsOf(rows))
    const unknown = new Set(withoutStored(rows, bookings))
    const identifiers = rows.map((row) => row.uploadIdentifier)
    const stored = new Set(await listKnownIdentifiers({ pool: tx }, key, identifiers))
    const isKnown = (row: FileRow) => !unknown.has(row) || stored.has(row.uploadIdentifier)
    const newRows = rows.filter((row) => !isKnown(row))
    const transactions = await listJoinable(tx, key, { rows: newRows, format })
    return { statement, isKnown, joins: findJoins(newRows, transactions) }
  })
}
