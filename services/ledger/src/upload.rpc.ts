import { create } from '@bufbuild/protobuf'
import { changeOf } from '@coffer/kit/changes'
import { notFound } from '@coffer/kit/errors'
import { newId } from '@coffer/kit/id'
import { keepReply, once } from '@coffer/kit/idempotency'
import { toMessage } from '@coffer/kit/message'
import { callerOf } from '@coffer/kit/rpc'
import type { ServiceDeps } from '@coffer/kit/service'
import { UploadCreatedSchema } from '@coffer/proto/ledger/v1/events'
import {
  type CreateUploadRequest,
  CreateUploadResponseSchema,
  FileSchema,
  UploadSchema,
  type UploadService,
} from '@coffer/proto/ledger/v1/upload'
import type { HandlerContext, ServiceImpl } from '@connectrpc/connect'
import { findBankAccount } from './bank-account.sql.ts'
import { requireManual, requireWritable } from './bank-account.ts'
import { nameOf, type Storage } from './storage.ts'
import { findUpload, insertUpload } from './upload.sql.ts'
import { createUpload } from './upload.ts'
import { undoRoutes } from './upload-undo.rpc.ts'

type Deps = Pick<ServiceDeps, 'database' | 'clock'> & { storage: Storage }

/** Uploads of files with transactions (spec/ledger.md 6.1, 6.2). */
export function uploadRoutes(deps: Deps): ServiceImpl<typeof UploadService> {
  return {
    createUpload: (request, context) => post(deps, request, context),
    ...undoRoutes(deps),
    getUpload: async (request, context) => {
      const { accountId } = callerOf(context)
      const upload = await findUpload(deps.database, { ...request, accountId })
      if (!upload) throw notFound('transaction upload')
      return { upload: toMessage(UploadSchema, upload) }
    },
  }
}

async function post(deps: Deps, request: CreateUploadRequest, context: HandlerContext) {
  const { database, clock, storage } = deps
  const { accountId, userId: createdBy, timezone, locale } = callerOf(context)
  const { bankAccountId, name, contentType, content } = request
  return once({ database, context, reply: CreateUploadResponseSchema }, async (key) => {
    const bankAccount = await findBankAccount(database, accountId, bankAccountId)
    if (!bankAccount) throw notFound('bank account')
    requireWritable(bankAccount)
    requireManual(bankAccount)
    const ids = { fileId: newId('file'), transactionUploadId: newId('txup') }
    const owner = { accountId, bankAccountId, createdBy }
    const { file, upload } = createUpload({ ...owner, ...ids, name, contentType, content }, clock())
    const message = { ...toMessage(UploadSchema, upload), file: toMessage(FileSchema, file) }
    const reply = create(CreateUploadResponseSchema, { upload: message })
    const subject = { accountId, entityId: upload.transactionUploadId, version: 1n }
    const event = toMessage(UploadCreatedSchema, upload)
    const changes = [changeOf(UploadCreatedSchema, subject, event)]
    const settings = { accountId, timezone, locale, version: 0n }
    // The bytes come first: a row never promises a file that is not there.
    await storage.write(file, content)
    try {
      await database.transaction(async (tx) => {
        await insertUpload(tx, { file, upload, settings, changes })
        await keepReply(tx, key, reply)
      })
    } catch (error) {
      // A commit whose answer was lost has stored the row; then the bytes belong to it.
      if (!(await findUpload(database, upload))) await storage.remove(nameOf(file))
      throw error
    }
    return reply
  })
}
