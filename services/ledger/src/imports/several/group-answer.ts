import { create } from '@bufbuild/protobuf'
import { toMessage } from '@coffer/kit/rpc/message'
import { FileSchema } from '@coffer/proto/ledger/v1/upload'
import {
  GroupedStatementSchema,
  type UploadGroup as UploadGroupMessage,
  UploadGroupSchema,
} from '@coffer/proto/ledger/v1/upload_group'
import type { BankAccount } from '../../book/bank-account.ts'
import { isUndoable } from '../settling/upload-undo.ts'
import type { Upload } from '../upload.ts'
import { renderListed, renderUpload } from '../upload-answer.ts'
import { type FoundGroup, statementOf, statusOf, undoneAtOf } from './upload-group.ts'

/** Returns the message of a group, with the upload of each statement. */
export function renderGroup(found: FoundGroup, render = renderUpload): UploadGroupMessage {
  const { group, file, uploads } = found
  return toMessage(UploadGroupSchema, {
    ...group,
    file: toMessage(FileSchema, file),
    status: statusOf(found),
    undoneAt: undoneAtOf(found),
    statements: group.statements.map(({ balance, rowCount, kind, ...statement }) => {
      const upload = uploads.find((one) => statementOf(one) === statement.statement)
      return create(GroupedStatementSchema, {
        ...statement,
        rowCount: BigInt(rowCount),
        ...(kind === null ? {} : { kind }),
        ...(balance === null ? {} : { balance: BigInt(balance) }),
        ...(upload ? { upload: render(upload) } : {}),
      })
    }),
  })
}

/** Returns a group for lists: without joins and the texts of skipped rows. */
export function renderListedGroup(
  found: FoundGroup,
  {
    bankAccounts,
    kept,
  }: { bankAccounts: readonly BankAccount[]; kept: ReadonlyMap<string, bigint> },
): UploadGroupMessage {
  return renderGroup(found, (upload: Upload) => {
    const own = bankAccounts.find((one) => one.bankAccountId === upload.bankAccountId)
    return renderListed(upload, { isUndoable: own !== undefined && isUndoable(upload, own), kept })
  })
}
