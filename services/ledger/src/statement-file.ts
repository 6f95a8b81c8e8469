import { readCamt } from './camt.ts'
import type { FileKind } from './file-kind.ts'
import { readOfx } from './ofx.ts'
import { readQif } from './qif.ts'
import type { FileStatement, ReadingSettings, Unreadable } from './statement.ts'

/** Kinds of files that can be read without a mapping. */
export type StatementKind = Exclude<FileKind, 'csv'>

const readers: Readonly<
  Record<
    StatementKind,
    (bytes: Uint8Array, settings: ReadingSettings) => FileStatement | Unreadable
  >
> = { ofx: readOfx, camt053: readCamt, qif: readQif }

/** Reads a file of any of these kinds. Pure: fit for a worker thread. */
export function readStatementFile(
  bytes: Uint8Array,
  { kind, ...settings }: ReadingSettings & { kind: StatementKind },
): FileStatement | Unreadable {
  return readers[kind](bytes, settings)
}
