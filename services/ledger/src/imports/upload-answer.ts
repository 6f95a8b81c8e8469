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

/** Returns the message of an upload. */
export function renderUpload(upload: Upload): UploadMessage {
  return toMessage(UploadSchema, {
    ...upload,
    note: noteOf(upload),
    skipped: renderSkipped(upload.skipped),
    statements: (upload.statements ?? []).map(renderStatement),
    ...renderJoins(upload),
  })
}

/** Returns the joins that the client named for an upload, and the number of failed ones. */
export function renderJoins({ status, joins }: Pick<Upload, 'status' | 'joins'>) {
  if (joins === null || joins.length === 0) return { joins: [] }
  const isEnded = status === 'complete'
  // until 0.5: a replica of 0.3 imports rows with named joins as new transactions and stores no
  // result, so their joins are shown as ignored.
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

/** Returns the preview of an upload whose import would fail. */
export function renderRefusal(upload: Upload, fault: Unreadable): UploadMessage {
  const { unreadable: error, asks = null, skipped = [], statements = [] } = fault
  return renderUpload({ ...upload, status: 'failed', error, asks, skipped, statements })
}

/** Returns the preview of an upload: the effects that its import would have. */
export function renderPreview(
  upload: Upload,
  ...read: Parameters<typeof previewParts>
): UploadMessage {
  const preview = create(UploadPreviewSchema, previewParts(...read))
  const note = noteOfFile(read[0])
  return { ...renderUpload({ ...upload, status: 'preview', note }), preview }
}

/**
 * Returns an upload for lists: without joins and the texts of skipped rows, but with whether it can
 * be undone. `kept` has the number of transactions that its undo would keep (`countKept`).
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
