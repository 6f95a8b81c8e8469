import { endOfDay, localDay } from '@coffer/kit/values/day'
import { readCamt } from './camt/camt.ts'
import { type CsvFormat, readCsv } from './csv/csv.ts'
import { readExport } from './export/coffer-export.ts'
import type { FileKind } from './file-kind.ts'
import { readMt940 } from './mt940/mt940.ts'
import { readOfx } from './ofx/ofx.ts'
import { readQif } from './qif/qif.ts'
import { noneRead } from './skipped-rows.ts'
import {
  type FileStatement,
  type ReadingSettings,
  statesBalances,
  type Unreadable,
} from './statement.ts'
import { readZip } from './zip/zip-statements.ts'

export type ReadingFormat =
  | { kind: 'zip' }
  | { kind: Exclude<FileKind, 'csv' | 'zip'> }
  | ({ kind: 'csv' } & CsvFormat)

export type ReadingTask = { bytes: Uint8Array; settings: ReadingSettings; format: ReadingFormat }

const readers = {
  ofx: readOfx,
  camt053: readCamt,
  mt940: readMt940,
  qif: readQif,
  json: readExport,
} as const

/**
 * Returns the content of a file, or why it is unreadable: also if it has rows, and none of them can
 * be read. Pure, so a worker thread can run it.
 */
export function readStatementFile(task: ReadingTask): FileStatement | Unreadable {
  const { bytes, settings, format } = task
  const read =
    format.kind === 'zip'
      ? readZip(bytes, ({ kind, ...file }) => readKind({ ...file, settings, format: { kind } }))
      : readKind({ bytes, settings, format })
  return 'unreadable' in read ? read : (noneRead(read) ?? read)
}

type KindTask = Omit<ReadingTask, 'format'> & { format: Exclude<ReadingFormat, { kind: 'zip' }> }

function readKind({ bytes, settings, format }: KindTask): FileStatement | Unreadable {
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
