import { create } from '@bufbuild/protobuf'
import { toMessage } from '@coffer/kit/rpc/message'
import { PreviewedFieldSchema } from '@coffer/proto/ledger/v1/rule'
import {
  FileStatementSchema,
  type SkippedRows as SkippedMessage,
  SkippedRowsSchema,
  type Upload as UploadMessage,
  UploadPreviewSchema,
  UploadSchema,
} from '@coffer/proto/ledger/v1/upload'
import type { PreviewedField } from '../rules/rule-preview.ts'
import { type Compared, previewParts } from './file-preview.ts'
import { countSkipped, type SkippedRows, skippedParts } from './formats/skipped-rows.ts'
import type { FileRow, ListedStatement, Unreadable } from './formats/statement.ts'
import { noteOf, type Upload } from './upload.ts'

/** Returns an upload as the answer shows it. */
export function renderUpload(upload: Upload): UploadMessage {
  return toMessage(UploadSchema, {
    ...upload,
    note: noteOf(upload),
    skipped: renderSkipped(upload.skipped),
    statements: (upload.statements ?? []).map(renderStatement),
  })
}

function renderStatement({ rowCount, balance, kind, ...of }: ListedStatement) {
  return toMessage(FileStatementSchema, {
    ...of,
    kind,
    rowCount: BigInt(rowCount),
    balance: balance === null ? null : BigInt(balance),
  })
}

/** Returns the answer to an upload that is only read: what its import would do, or the fault. */
export function renderPreview(
  upload: Upload,
  read: Compared | Unreadable,
  ruled: ReadonlyMap<FileRow, PreviewedField[]>,
): UploadMessage {
  if ('unreadable' in read) {
    const { unreadable: error, asks = null, skipped: rows = [], statements = [] } = read
    const skipped = countSkipped(rows)
    return renderUpload({ ...upload, status: 'failed', error, asks, skipped, statements })
  }
  const parts = previewParts(read)
  const rows = parts.rows.map((shown, index) => {
    const row = read.statement.rows[index]
    const fields = (row && ruled.get(row)) ?? []
    return { ...shown, fields: fields.map((one) => toMessage(PreviewedFieldSchema, one)) }
  })
  const preview = create(UploadPreviewSchema, { ...parts, rows })
  return { ...renderUpload({ ...upload, status: 'preview' }), preview }
}

/** Returns an upload as lists show it: without the texts of skipped rows. */
export function renderListed(upload: Upload, isUndoable: boolean): UploadMessage {
  const skipped = (upload.skipped ?? []).map((one) => ({ ...one, rows: [] }))
  return { ...renderUpload({ ...upload, skipped }), isUndoable }
}

export function renderSkipped(skipped: readonly SkippedRows[] | null): SkippedMessage[] {
  return skippedParts(skipped ?? []).map((one) => create(SkippedRowsSchema, one))
}
