import { create } from '@bufbuild/protobuf'
import { requireRoom, requireWithin } from '@coffer/kit/database/account-bound.sql'
import type { Queries } from '@coffer/kit/database/database'
import { keepReply, once } from '@coffer/kit/database/idempotency'
import { changeOf } from '@coffer/kit/events/changes'
import { say } from '@coffer/kit/reasons/reasons'
import type { Caller } from '@coffer/kit/rpc/caller'
import { notFound, refused } from '@coffer/kit/rpc/errors'
import { toMessage } from '@coffer/kit/rpc/message'
import { callerOf } from '@coffer/kit/rpc/rpc'
import type { ServiceDeps } from '@coffer/kit/service/service'
import { newId } from '@coffer/kit/values/id'
import { UploadCreatedSchema } from '@coffer/proto/ledger/v1/events'
import {
  type CreateUploadRequest,
  CreateUploadResponseSchema,
  FileSchema,
  type UploadService,
} from '@coffer/proto/ledger/v1/upload'
import type { HandlerContext, ServiceImpl } from '@connectrpc/connect'
import { getBankAccount } from '../accounts/bank-account.sql.ts'
import { type Bounds, uploadBound } from '../accounts/bounds.sql.ts'
import { requireManual } from '../book/bank-account.ts'
import type { UploadKey } from '../book/upload-key.ts'
import type { MoneyWriter } from '../money/writer.service.ts'
import { requireChoices } from './formats/reading-choices.ts'
import type { Readers } from './formats/statement-pool.client.ts'
import { type IncomingFile, receiveFile } from './incoming-file.ts'
import { countKept, keepNamedJoins } from './joining/joined-rows.sql.ts'
import { requireJoins } from './joining/row-joins.ts'
import { previewRules } from './rules/previewed-rules.service.ts'
import { isUndoable, requireComplete } from './settling/upload-undo.ts'
import { undoUploads } from './several/undo.service.ts'
import type { Storage } from './storage/storage.ts'
import { keepFiles } from './storage/stored-file.service.ts'
import { findUpload, insertUpload, listUploads, restartUpload } from './upload.sql.ts'
import {
  type Again,
  createUpload,
  detectFormat,
  isReadBy,
  newUpload,
  requireAsking,
  type Upload,
} from './upload.ts'
import { renderListed, renderPreview, renderRefusal, renderUpload } from './upload-answer.ts'
import { previewUpload } from './upload-preview.service.ts'

type Deps = Pick<ServiceDeps, 'database' | 'clock' | 'log'> &
  Pick<MoneyWriter, 'changeRows' | 'writeIn'> & {
    config: Bounds
    storage: Storage
    readers: Readers
  }

/** Returns the RPC handlers of uploads: create, get, list, undo (docs/files.md#uploading). */
export function uploadRoutes(deps: Deps): ServiceImpl<typeof UploadService> {
  return {
    createUpload: (request, context) => createFromParts(deps, request, context),
    undoUpload: async (request, context) => {
      const { accountId, userId: createdBy } = callerOf(context)
      const key = { ...request, accountId }
      requireComplete(await getUpload(deps, key))
      const [result] = await undoUploads(deps, [key], createdBy)
      return result ?? {}
    },
    updateUpload: async (request, context) => {
      const { accountId } = callerOf(context)
      const upload = await getUpload(deps, { ...request, accountId })
      requireManual(await getBankAccount(deps.database, accountId, upload.bankAccountId))
      const joins = request.joins && requireJoins(request.joins.joins)
      const again = { choices: requireChoices(request.choices), joins }
      return { upload: await readAgain(deps, upload, again) }
    },
    getUpload: async (request, context) => {
      const { accountId } = callerOf(context)
      const upload = await getUpload(deps, { ...request, accountId })
      return { upload: renderUpload(upload) }
    },
    listUploads: async ({ bankAccountId, before = null, limit }, context) => {
      const { accountId } = callerOf(context)
      const bankAccount = await getBankAccount(deps.database, accountId, bankAccountId)
      // Reads one row more than the limit: if it exists, there is a next page.
      const page = { bankAccountId, before, limit: limit + 1 }
      const rows = await listUploads(deps.database, accountId, page)
      const listed = rows.slice(0, limit)
      const kept = await countKept(
        deps.database,
        accountId,
        listed.map(({ upload }) => upload),
      )
      const uploads = listed.map(({ upload, file }) => {
        const shown = renderListed(upload, { isUndoable: isUndoable(upload, bankAccount), kept })
        return { ...shown, file: toMessage(FileSchema, file) }
      })
      return { uploads, hasMore: rows.length > limit }
    },
  }
}

async function createFromParts(
  deps: Deps,
  requests: AsyncIterable<CreateUploadRequest>,
  context: HandlerContext,
) {
  const { config, database, clock } = deps
  const { accountId, userId: createdBy, timezone, locale } = callerOf(context)
  const file = await receiveFile(requests)
  if (file.isPreview) return { upload: await previewFile(deps, file, callerOf(context)) }
  const bodyHash = async () => (await file.finish()).bodyHash
  return once({ database, context, reply: CreateUploadResponseSchema, bodyHash }, async (key) => {
    const { bankAccountId, name, contentType, choices } = file
    requireManual(await getBankAccount(database, accountId, bankAccountId))
    const format = detectFormat(file)
    await requireRoom(database, uploadBound(config, accountId))
    const reply = create(CreateUploadResponseSchema)
    const ids = { accountId, bankAccountId, fileId: newId('file') }
    const transactionUploadId = newId('txup')
    return keepFiles(deps, [ids], async () => {
      await deps.storage.write(ids, file.bytes)
      const { size, bodyHash, joins } = await file.finish()
      const body = {
        ...ids,
        transactionUploadId,
        createdBy,
        name,
        contentType,
        format,
        choices,
        size,
      }
      const made = createUpload(body, clock())
      const shown = toMessage(FileSchema, made.file)
      reply.upload = { ...renderUpload({ ...made.upload, joins }), file: shown }
      const subject = { accountId, entityId: transactionUploadId, version: 1n }
      const event = toMessage(UploadCreatedSchema, made.upload)
      const changes = [changeOf(UploadCreatedSchema, subject, event)]
      const settings = { accountId, timezone, locale, version: 0n }
      await database.transaction(async (tx) => {
        await insertUpload(tx, { ...made, settings, changes })
        await keepNamedJoins(tx, made.upload, joins)
        await requireWithin(tx, uploadBound(config, accountId))
        await keepReply(tx, key && { ...key, bodyHash }, reply)
      })
      return reply
    })
  })
}

/** Returns the preview of an import, as an upload that is not stored. */
async function previewFile(
  { database, clock, readers }: Deps,
  file: IncomingFile,
  { accountId, userId: createdBy, timezone }: Caller,
) {
  const { bankAccountId, choices } = file
  const bankAccount = await getBankAccount(database, accountId, bankAccountId)
  requireManual(bankAccount)
  const format = detectFormat(file)
  const of = { transactionUploadId: newId('txup'), format, createdBy, choices }
  const upload = newUpload({ accountId, bankAccountId, fileId: newId('file') }, of, clock())
  const read = await previewUpload({ database, readers }, { file, format, bankAccount, timezone })
  if ('unreadable' in read) return renderRefusal(upload, read)
  const into = { accountId, bankAccountId, timezone }
  return renderPreview(upload, read, await previewRules(database, into, read))
}

/**
 * Restarts the import of an upload that needs a choice of the client, with the choices and joins of
 * the request. Idempotent: changes nothing if the upload has these choices and joins already.
 */
async function readAgain({ database, clock }: Deps, upload: Upload, added: Again) {
  if (isReadBy(upload, added)) return renderUpload(upload)
  requireAsking(upload)
  const { accountId, transactionUploadId: entityId } = upload
  const choices = { ...upload.choices, ...added.choices }
  const now = clock()
  const event = toMessage(UploadCreatedSchema, { ...upload, attempt: BigInt(now.getTime()) })
  const changes = [changeOf(UploadCreatedSchema, { accountId, entityId, version: 2n }, event)]
  const joins = added.joins === undefined ? null : [...added.joins]
  return database.transaction(async (tx) => {
    const isDone = await restartUpload(tx, upload, { choices, joins, changes, now })
    const after = await getUpload({ database: { pool: tx } }, upload)
    if (!isDone && !isReadBy(after, added)) {
      throw refused(say('FILE_GONE'))
    }
    return renderUpload(after)
  })
}

async function getUpload(
  { database }: { database: { pool: Queries } },
  key: UploadKey,
): Promise<Upload> {
  const upload = await findUpload(database, key)
  if (!upload) throw notFound('transaction upload')
  return upload
}
