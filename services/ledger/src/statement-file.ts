import { readCamt } from './camt.ts'
import { readCsv } from './csv.ts'
import type { CsvMapping } from './csv-mapping.ts'
import { readOfx } from './ofx.ts'
import { readQif } from './qif.ts'
import type { FileStatement, ReadingSettings, Unreadable } from './statement.ts'

/** How a file is to be read. */
export type ReadingFormat =
  | { kind: 'ofx' | 'camt053' | 'qif' }
  | { kind: 'csv'; delimiter: string; mapping: CsvMapping }

export type ReadingTask = { bytes: Uint8Array; settings: ReadingSettings; format: ReadingFormat }

const readers = { ofx: readOfx, camt053: readCamt, qif: readQif } as const

/** Reads a file of any format. Pure: fit for a worker thread. */
export function readStatementFile(task: ReadingTask): FileStatement | Unreadable {
  const { bytes, settings, format } = task
  return format.kind === 'csv'
    ? readCsv(bytes, { ...settings, delimiter: format.delimiter, mapping: format.mapping })
    : readers[format.kind](bytes, settings)
}
