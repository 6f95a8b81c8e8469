import { endOfDay, localDay } from '@coffer/kit/values/day'
import { readCamt } from './camt/camt.ts'
import { type CsvFormat, readCsv } from './csv/csv.ts'
import { readExport } from './export/coffer-export.ts'
import type { FileKind } from './file-kind.ts'
import { readMt940 } from './mt940/mt940.ts'
import { readOfx } from './ofx/ofx.ts'
import { readQif } from './qif/qif.ts'
import {
  type FileStatement,
  type ReadingSettings,
  statesBalances,
  type Unreadable,
} from './statement.ts'
import { readZip } from './zip-statements.ts'

export type ReadingFormat = { kind: Exclude<FileKind, 'csv'> } | ({ kind: 'csv' } & CsvFormat)

export type ReadingTask = { bytes: Uint8Array; settings: ReadingSettings; format: ReadingFormat }

const readers = {
  ofx: readOfx,
  camt053: readCamt,
  mt940: readMt940,
  qif: readQif,
  json: readExport,
} as const

/** Returns the content of a file, or why it is unreadable. Pure, so a worker thread can run it. */
export function readStatementFile(task: ReadingTask): FileStatement | Unreadable {
  const { bytes, settings, format } = task
  if (format.kind === 'zip') {
    return readZip(bytes, ({ kind, ...file }) =>
      readStatementFile({ ...file, settings, format: { kind } }),
    )
  }
  const statement =
    format.kind === 'csv'
      ? readCsv(bytes, { ...settings, ...format })
      : readers[format.kind](bytes, settings)
  return 'unreadable' in statement ? statement : withInstant(statement, settings.timezone)
}

/** Gives undated balances the end of the newest row's day (docs/files.md#balances). */
function withInstant(statement: FileStatement, timezone: string): FileStatement {
  const { balances, rows } = statement
  if (balances.asOf !== null || rows.length === 0 || !statesBalances(balances)) return statement
  const newest = rows.reduce((latest, { date }) => Math.max(latest, date.getTime()), -Infinity)
  const asOf = new Date(endOfDay(localDay(newest, timezone), timezone))
  return { ...statement, balances: { ...balances, asOf } }
}
