import { create } from '@bufbuild/protobuf'
import { requireRoom, requireWithin } from '@coffer/kit/database/account-bound.sql'
import { type IdempotencyKey, keepReply, once } from '@coffer/kit/database/idempotency'
import { say } from '@coffer/kit/reasons/reasons'
import type { Caller } from '@coffer/kit/rpc/caller'
import { notFound, refused } from '@coffer/kit/rpc/errors'
import { callerOf } from '@coffer/kit/rpc/rpc'
import type { ServiceDeps } from '@coffer/kit/service/service'
import { newId } from '@coffer/kit/values/id'
import {
  CreateUploadGroupResponseSchema,
  type UpdateUploadGroupRequest,
  type UploadGroup as UploadGroupMessage,
  type UploadGroupService,
} from '@coffer/proto/ledger/v1/upload_group'
import type { ServiceImpl } from '@connectrpc/connect'
import { listBankAccounts } from '../../accounts/bank-account.sql.ts'
import { type Bounds, uploadBound } from '../../accounts/bounds.sql.ts'
import type { MoneyWriter } from '../../money/writer.service.ts'
import { requireChoices } from '../formats/reading-choices.ts'
import type { Readers } from '../formats/statement-pool.client.ts'
import { type IncomingFile, receiveFile, wholeOf } from '../incoming-file.ts'
import { countKept } from '../joining/joined-rows.sql.ts'
import { nameOf, type Storage } from '../storage/storage.ts'
import { keepFiles, removeFiles } from '../storage/stored-file.service.ts'
import { createFile } from '../storage/stored-file.ts'
import { markFileDeleted } from '../upload.sql.ts'
import { detectFormat, type Upload } from '../upload.ts'
import { renderUpload } from '../upload-answer.ts'
import { renderGroup, renderListedGroup } from './group-answer.ts'
import { createParts, insertParts, partsOf, writeCopies } from './group-import.service.ts'
import { previewUploads } from './group-preview.service.ts'
import { readMapped } from './group-reading.service.ts'
import { undoUploads } from './undo.service.ts'
import {
  findGroup,
  type GroupKey,
  groupBound,
  insertGroup,
  leaveGroup,
  listGroups,
  listSurplusFiles,
  lockGroup,
} from './upload-group.sql.ts'
import {
  askingMappings,
  type FoundGroup,
  mappingsOf,
  planImports,
  requireUndoable,
  type UploadGroup,
} from './upload-group.ts'

type Deps = Pick<ServiceDeps, 'database' | 'clock' | 'log'> &
  Pick<MoneyWriter, 'changeRows' | 'writeIn'> & {
    config: Bounds
    storage: Storage
    readers: Readers
  }

/** Returns the RPC handlers of files of several accounts (docs/files.md#all-accounts). */
export function uploadGroupRoutes(deps: Deps): ServiceImpl<typeof UploadGroupService> {
  const { database } = deps
  return {
    createUploadGroup: async (request, context) => {
      const file = await receiveFile(request)
      if (file.isPreview) {
        return { uploadGroup: await previewGroup(deps, file, callerOf(context)) }
      }
      const bodyHash = async () => (await file.finish()).bodyHash
      const reply = CreateUploadGroupResponseSchema
      return once({ database, context, reply, bodyHash }, (key) => {
        return createGroup(deps, { file, caller: callerOf(context), key })
      })
    },
    getUploadGroup: async ({ uploadGroupId }, context) => {
      const { accountId } = callerOf(context)
      return { uploadGroup: renderGroup(await getGroup(deps, { accountId, uploadGroupId })) }
    },
    listUploadGroups: async ({ before = null, limit }, context) => {
      const { accountId } = callerOf(context)
      // Reads one row more than the limit: if it exists, there is a next page.
      const found = await listGroups(database, accountId, { before, limit: limit + 1 })
      const bankAccounts = await listBankAccounts(database, accountId)
      const uploads = found.flatMap((one) => one.uploads)
      const kept = await countKept(database, accountId, uploads)
      const uploadGroups = found
        .slice(0, limit)
        .map((one) => renderListedGroup(one, { bankAccounts, kept }))
      return { uploadGroups, hasMore: found.length > limit }
    },
    updateUploadGroup: async (request, context) => {
      return { uploadGroup: renderGroup(await updateGroup(deps, request, callerOf(context))) }
    },
    undoUploadGroup: async ({ uploadGroupId }, context) => {
      const { accountId, userId } = callerOf(context)
      const found = await getGroup(deps, { accountId, uploadGroupId })
      requireUndoable(found)
      const complete = found.uploads.filter(({ status }) => status === 'complete')
      return { parts: await undoUploads(deps, complete, userId) }
    },
  }
}

type GroupFormat = ReturnType<typeof detectFormat>
type ReplyKey = IdempotencyKey<typeof CreateUploadGroupResponseSchema> | null

async function createGroup(
  deps: Deps,
  { file, caller, key }: { file: IncomingFile; caller: Caller; key: ReplyKey },
) {
  const { config, database } = deps
  const { accountId } = caller
  const format = detectFormat(file)
  await requireRoom(database, uploadBound(config, accountId))
  await removeSurplus(deps, accountId)
  await requireRoom(database, groupBound(config, accountId))
  const { found, parts, bytes, bodyHash } = await readGroup(deps, { file, format, caller })
  const uploads = parts.map(({ upload, joins }) => ({ ...upload, joins: [...joins] }))
  const uploadGroup = renderGroup({ ...found, uploads })
  const reply = create(CreateUploadGroupResponseSchema, { uploadGroup })
  const keys = [found.file, ...parts.map((one) => one.file)]
  await keepFiles(deps, keys, async () => {
    await writeCopies(deps.storage, keys, bytes)
    await database.transaction(async (tx) => {
      await insertGroup(tx, found)
      await requireWithin(tx, groupBound(config, accountId))
      await insertParts(tx, parts, { config, caller })
      await keepReply(tx, key && { ...key, bodyHash }, reply)
    })
  })
  return reply
}

/** Reads a file for a new group: returns its accounts, and an upload for each mapped account. */
async function readGroup(
  deps: Pick<Deps, 'database' | 'clock' | 'readers'>,
  { file, format, caller }: { file: IncomingFile; format: GroupFormat; caller: Caller },
) {
  const { accountId, userId: createdBy, timezone } = caller
  const bytes = await wholeOf(file.bytes)
  const { size, bodyHash, statements: mappings } = await file.finish()
  const { choices, name, contentType } = file
  const listing = { accountId, format, choices, bytes, timezone }
  const statements = await readMapped(deps, listing, { mappings })
  const ids = { accountId, fileId: newId('file') }
  const now = deps.clock()
  const kind = 'transactions/uploads' as const
  const body = { ...ids, bankAccountId: '', createdBy, name, contentType, size, kind }
  const { bankAccountId: _, ...stored } = createFile(body, now)
  const of = { uploadGroupId: newId('upgr'), format, statements, choices }
  const group: UploadGroup = { ...ids, ...of, createdAt: now, createdBy }
  const found = { group, file: stored }
  const parts = createParts(found, { mappings, choices, createdBy, now })
  return { found, parts, bytes, bodyHash }
}

/** Returns the preview of the imports of a file, as a group that is not stored. */
async function previewGroup(
  deps: Deps,
  file: IncomingFile,
  caller: Caller,
): Promise<UploadGroupMessage> {
  const format = detectFormat(file)
  const { found, parts, bytes } = await readGroup(deps, { file, format, caller })
  const uploads = parts.map(({ upload }) => upload)
  const of = { bytes, format, timezone: caller.timezone }
  const shown = await previewUploads(deps, uploads, of)
  const render = (upload: Upload) => shown.get(upload) ?? renderUpload(upload)
  return { ...renderGroup({ ...found, uploads }, render), status: 'preview' }
}

/** Deletes the oldest files of groups with complete imports, to stay within the bound. */
async function removeSurplus({ config, database, storage, clock }: Deps, accountId: string) {
  for (const file of await listSurplusFiles(database, accountId, config.uploadsMax - 1)) {
    await storage.remove(nameOf(file))
    await markFileDeleted(database, file, clock())
  }
}

/**
 * Starts the imports of mapped statements that are new or failed. Without mappings, restarts failed
 * imports that need a choice of the client. Idempotent for statements that are imported already.
 */
async function updateGroup(
  deps: Deps,
  request: UpdateUploadGroupRequest,
  caller: Caller,
): Promise<FoundGroup> {
  const { config, database, storage, clock } = deps
  const { accountId, userId: createdBy } = caller
  const key = { accountId, uploadGroupId: request.uploadGroupId }
  const found = await getGroup(deps, key)
  const choices = requireChoices(request.choices)
  const sent = mappingsOf(request.statements)
  const mappings = sent.length > 0 ? sent : askingMappings(found.uploads)
  const { wanted } = planImports(mappings, found.uploads)
  if (wanted.length === 0) {
    if (sent.length > 0) return found
    throw refused(say('IMPORTS_WITHOUT_CHOICE'))
  }
  const { group, file } = found
  const bytes = file.deletedAt === null ? await storage.read(group) : null
  if (bytes === null) throw refused(say('FILE_GONE'))
  const read = { ...group.choices, ...choices }
  const listing = {
    accountId,
    format: group.format,
    choices: read,
    bytes,
    timezone: caller.timezone,
  }
  await readMapped(deps, listing, { mappings, listed: group.statements })
  const parts = createParts(found, { mappings: wanted, choices, createdBy, now: clock() })
  const keys = parts.map((one) => one.file)
  const { changed, inserted } = await keepFiles(deps, keys, async () => {
    await writeCopies(storage, keys, bytes)
    return database.transaction(async (tx) => {
      await lockGroup(tx, key)
      const { uploads } = await getGroup({ database: { pool: tx } }, key)
      const plan = planImports(mappings, uploads)
      await leaveGroup(tx, key, { uploads: plan.replaced, now: clock() })
      const inserted = partsOf(parts, plan.wanted)
      await insertParts(tx, inserted, { config, caller })
      return { inserted, changed: await getGroup({ database: { pool: tx } }, key) }
    })
  })
  const unused = parts.flatMap((one) => (inserted.includes(one) ? [] : one.file))
  await removeFiles(deps, unused)
  return changed
}

async function getGroup(
  { database }: { database: Parameters<typeof findGroup>[0] },
  key: GroupKey,
): Promise<FoundGroup> {
  const found = await findGroup(database, key)
  if (!found) throw notFound('upload')
  return found
}
