import { create } from '@bufbuild/protobuf'
import { toMessage } from '@coffer/kit/rpc/message'
import {
  FileStatementSchema,
  NamedJoinSchema,
  type SkippedRows as SkippedMessage,
  SkippedRowsSchema,
  type Upload as UploadMessage,
  UploadPreviewSchema,
  UploadSchema,
} from '@coffer/proto/ledger/v1/upload'
import { previewParts } from './file-preview.ts'
import { skippedParts } from './formats/skipped-rows.ts'
import {
  type ListedStatement,
  noteOfFile,
  type SkippedRows,
  type Unreadable,
} from './formats/statement.ts'
import { countUnjoined } from './joining/row-joins.ts'
import { noteOf, type Upload } from './upload.ts'

/** Returns an upload as the answer shows it. */
export function renderUpload(upload: Upload): UploadMessage {
  return toMessage(UploadSchema, {
    ...upload,
    note: noteOf(upload),
    skipped: renderSkipped(upload.skipped),
    statements: (upload.statements ?? []).map(renderStatement),
    ...renderJoins(upload),
  })
}

/** Returns the named joins of an upload, and how many of them were not made. */
export function renderJoins({ status, joins }: Pick<Upload, 'status' | 'joins'>) {
  if (joins === null || joins.length === 0) return { joins: [] }
  const isEnded = status === 'complete'
  // until 0.5: a replica of 0.3 stores these rows as new ones, and states no outcome.
  const settled = joins.map((one) =>
    isEnded && one.result === undefined ? { ...one, result: 'ignored' as const } : one,
  )
  const unjoinedCount = isEnded ? BigInt(countUnjoined(settled)) : null
  return { joins: settled.map((one) => create(NamedJoinSchema, one)), unjoinedCount }
}

function renderStatement({ rowCount, balance, kind, ...of }: ListedStatement) {
  return toMessage(FileStatementSchema, {
    ...of,
    kind,
    rowCount: BigInt(rowCount),
    balance: balance === null ? null : BigInt(balance),
  })
}

/** Returns the answer to an upload that is only read, and whose import would fail. */
export function renderRefusal(upload: Upload, fault: Unreadable): UploadMessage {
  const { unreadable: error, asks = null, skipped = [], statements = [] } = fault
  return renderUpload({ ...upload, status: 'failed', error, asks, skipped, statements })
}

/** Returns the answer to an upload that is only read: what its import would do. */
export function renderPreview(
  upload: Upload,
  ...read: Parameters<typeof previewParts>
): UploadMessage {
  const preview = create(UploadPreviewSchema, previewParts(...read))
  const note = noteOfFile(read[0])
  return { ...renderUpload({ ...upload, status: 'preview', note }), preview }
}

/**
 * Returns an upload as lists show it: without texts of skipped rows, and joins, but with what
 * undoing it needs. `kept` has the numbers of transactions that undos would keep (`countKept`).
 */
export function renderListed(
  upload: Upload,
  { isUndoable, kept }: { isUndoable: boolean; kept: ReadonlyMap<string, bigint> },
): UploadMessage {
  const skipped = (upload.skipped ?? []).map((one) => ({ ...one, rows: [] }))
  const keptCount = kept.get(upload.transactionUploadId)
  const undo = { isUndoable, ...(keptCount === undefined ? {} : { keptCount }) }
  return { ...renderUpload({ ...upload, skipped }), joins: [], ...undo }
}

export function renderSkipped(skipped: readonly SkippedRows[] | null): SkippedMessage[] {
  return skippedParts(skipped ?? []).map((one) => create(SkippedRowsSchema, one))
}
