import { create, fromBinary } from '@bufbuild/protobuf'
import { requireWithin } from '@coffer/kit/database/account-bound.sql'
import { keepReply, once } from '@coffer/kit/database/idempotency'
import { changeOf } from '@coffer/kit/events/changes'
import { say } from '@coffer/kit/reasons/reasons'
import { invalid, notFound, refused } from '@coffer/kit/rpc/errors'
import { toMessage } from '@coffer/kit/rpc/message'
import { callerOf } from '@coffer/kit/rpc/rpc'
import type { ServiceDeps } from '@coffer/kit/service/service'
import { newId } from '@coffer/kit/values/id'
import { ImportPreviewRequestedSchema, UploadCreatedSchema } from '@coffer/proto/ledger/v1/events'
import {
  type CreateImportRequest,
  CreateImportResponseSchema,
  ImportPreviewSchema,
  ImportSchema,
  type ImportService,
  ReadingSchema,
  type UpdateImportRequest,
} from '@coffer/proto/ledger/v1/import'
import { FileSchema } from '@coffer/proto/ledger/v1/upload'
import type { HandlerContext, ServiceImpl } from '@connectrpc/connect'
import { getBankAccount } from '../accounts/bank-account.sql.ts'
import { type Bounds, uploadBound } from '../accounts/bounds.sql.ts'
import { requireManual } from '../book/bank-account.ts'
import {
  type CsvImport,
  createImport,
  type ImportKey,
  isReread,
  requireColumns,
  requireRereadable,
  requireShape,
  requireStatus,
  shapeFields,
} from './formats/csv/csv-import.ts'
import { signatureOf } from './formats/csv/csv-mapping.ts'
import { type CsvReading, keepSheet, withSheet } from './formats/csv/csv-reading.ts'
import { changedChoices } from './formats/reading-choices.ts'
import { endInTurns } from './formats/rows/page-turns.service.ts'
import { sheetDelimiter } from './formats/sheets/sheet-kind.ts'
import type { Readers } from './formats/statement-pool.client.ts'
import {
  type FoundImport,
  findImport,
  insertImport,
  listImports,
  requestPreview,
  requestProcessing,
  reread,
} from './import.sql.ts'
import { receiveFile } from './incoming-file.ts'
import { countKept, keepNamedJoins } from './joining/joined-rows.sql.ts'
import { type NamedJoin, requireJoins } from './joining/row-joins.ts'
import { findMapping } from './mapping.sql.ts'
import { isUndoable } from './settling/upload-undo.ts'
import { convertSheetFile } from './sheet-file.service.ts'
import { nameOf, type Storage } from './storage/storage.ts'
import { keepFiles } from './storage/stored-file.service.ts'
import { markFileDeleted } from './upload.sql.ts'
import { newUpload, type Upload } from './upload.ts'
import { renderJoins, renderListed, renderSkipped } from './upload-answer.ts'

type Deps = Pick<ServiceDeps, 'database' | 'clock' | 'log'> & {
  config: Bounds
  storage: Storage
  readers: Readers
}

/** Returns the RPC handlers of CSV imports (docs/files.md#csv-mappings). */
export function importRoutes(deps: Deps): ServiceImpl<typeof ImportService> {
  const { database } = deps
  return {
    createImport: (request, context) => createFromParts(deps, request, context),
    getImport: async (request, context) => {
      const { accountId } = callerOf(context)
      return { import: renderImport(await getImport(deps, { ...request, accountId })) }
    },
    listImports: async ({ bankAccountId, before = null, limit }, context) => {
      const { accountId } = callerOf(context)
      const bankAccount = await getBankAccount(database, accountId, bankAccountId)
      // Reads one row more than the limit: if it exists, there is a next page.
      const page = { bankAccountId, before, limit: limit + 1 }
      const rows = await listImports(database, accountId, page)
      const uploads = rows.flatMap(({ upload }) => upload ?? [])
      const kept = await countKept(database, accountId, uploads)
      const imports = rows.slice(0, limit).map(({ found, file, upload }) => {
        const undo =
          upload && renderListed(upload, { isUndoable: isUndoable(upload, bankAccount), kept })
        return {
          ...renderImport({ ...found, reading: withoutRows(found.reading), processedBy: upload }),
          skipped: undo?.skipped ?? [],
          joins: [],
          file: toMessage(FileSchema, file),
          ...(undo ? { upload: undo } : {}),
        }
      })
      return { imports, hasMore: rows.length > limit }
    },
    updateImport: async (request, context) => {
      const { accountId, userId } = callerOf(context)
      const key = { ...request, accountId }
      const stored = await getImport(deps, key)
      const bankAccount = await getBankAccount(database, accountId, stored.bankAccountId)
      requireManual(bankAccount)
      const { transactionImportMappingId, status, choices } = request
      const found = choices ? await readAgain(deps, stored, { request, bankAccount }) : stored
      if (choices && status === '') return { import: renderImport(found) }
      if (status === 'pending-preview' && transactionImportMappingId !== undefined) {
        return { import: await startPreview(deps, found, transactionImportMappingId) }
      }
      if (status === 'pending-processing' && transactionImportMappingId === undefined) {
        const joins = requireJoins(request.joins)
        return { import: await startProcessing(deps, found, { createdBy: userId, joins }) }
      }
      throw invalid({ status: say('IMPORT_STEP') })
    },
    deleteImport: async (request, context) => {
      await discard(deps, { ...request, accountId: callerOf(context).accountId })
      return {}
    },
  }
}

async function createFromParts(
  deps: Deps,
  requests: AsyncIterable<CreateImportRequest>,
  context: HandlerContext,
) {
  const { database, clock, readers } = deps
  const { accountId, userId: createdBy, timezone, locale } = callerOf(context)
  const received = await receiveFile(requests)
  const bodyHash = async () => (await received.finish()).bodyHash
  return once({ database, context, reply: CreateImportResponseSchema, bodyHash }, async (key) => {
    const { bankAccountId, name } = received
    const bankAccount = await getBankAccount(database, accountId, bankAccountId)
    requireManual(bankAccount)
    const { file, chosen } = await convertSheetFile(readers, accountId, received)
    const choices = { ...received.choices, ...(chosen ? { delimiter: sheetDelimiter } : {}) }
    const { currency } = bankAccount
    const { shape, reading } = await endInTurns(requireShape(file.head, { choices, currency }))
    const found = { shape, reading: withSheet(reading, chosen) }
    const reply = create(CreateImportResponseSchema)
    const ids = { accountId, bankAccountId, fileId: newId('file') }
    const transactionImportId = newId('txim')
    return keepFiles(deps, [ids], async () => {
      await deps.storage.write(ids, file.bytes)
      const { size, bodyHash } = await file.finish()
      const body = { ...ids, transactionImportId, createdBy, name, choices, found, size }
      const stored = createImport(body, clock())
      reply.import = { ...renderImport(stored.made), file: toMessage(FileSchema, stored.file) }
      const settings = { accountId, timezone, locale, version: 0n }
      await database.transaction(async (tx) => {
        await insertImport(tx, { ...stored, settings })
        await keepReply(tx, key && { ...key, bodyHash }, reply)
      })
      return reply
    })
  })
}

async function startPreview(
  { database, clock }: Deps,
  found: CsvImport,
  transactionImportMappingId: string,
) {
  requireStatus(found, 'mapping')
  const mapping = await findMapping(database, found.accountId, transactionImportMappingId)
  if (!mapping)
    throw invalid({
      transactionImportMappingId: say('MAPPING_UNKNOWN'),
    })
  requireColumns(found, mapping.mapping.headers)
  const { accountId, transactionImportId: entityId } = found
  const attempt = isReread(found) ? BigInt(clock().getTime()) : 0n
  const event = toMessage(ImportPreviewRequestedSchema, { ...found, attempt })
  const changes = [
    changeOf(ImportPreviewRequestedSchema, { accountId, entityId, version: 1n }, event),
  ]
  const asked = { transactionImportMappingId, now: clock(), changes }
  return database.transaction(async (tx) => {
    const isDone = await requestPreview(tx, found, asked)
    if (!isDone) requireStatus({ ...found, status: 'pending-preview' }, 'mapping')
    return renderImport((await findImport({ pool: tx }, found)) ?? found)
  })
}

/**
 * Reads the file of an import again, with the stored choices and those of the request, and resets
 * the import to status `mapping`. Throws `refused` if it is processed or its file is deleted.
 */
async function readAgain(
  { database, clock, storage }: Deps,
  stored: CsvImport,
  { request, bankAccount }: { request: UpdateImportRequest; bankAccount: { currency: string } },
): Promise<CsvImport> {
  requireRereadable(stored)
  const bytes = await storage.read(stored)
  if (!bytes) throw refused(say('FILE_GONE'))
  const isSheet = stored.reading?.sheet !== undefined
  const converted = isSheet ? { delimiter: sheetDelimiter } : {}
  const all = { ...converted, ...changedChoices(stored.choices, request) }
  const { currency } = bankAccount
  const { shape, reading } = await endInTurns(requireShape(bytes, { choices: all, currency }))
  const found = { shape, reading: keepSheet(reading, stored.reading) }
  const fields = shapeFields(found, all)
  const isDone = await reread(database, stored, { fields, now: clock() })
  const after = await getImport({ database }, stored)
  if (!isDone) requireRereadable(after)
  return after
}

/**
 * Deletes the file of an import, which makes the import `expired`. The status becomes `mapping`
 * first, so that no processing begins meanwhile. Throws `refused` while a preview is created, and
 * once the import is processed.
 */
async function discard({ database, clock, storage }: Deps, key: ImportKey): Promise<void> {
  const found = await getImport({ database }, key)
  if (found.status === 'expired') return
  requireRereadable(found, { status: 409 })
  if (!(await reread(database, found, { fields: found, now: clock() }))) {
    return requireRereadable(await getImport({ database }, key), { status: 409 })
  }
  await storage.remove(nameOf(found))
  await markFileDeleted(database, found, clock())
}

/** Creates an upload of the CSV file, which is then imported like any other upload. */
async function startProcessing(
  { config, database, clock }: Deps,
  found: CsvImport,
  { createdBy, joins }: { createdBy: string; joins: NamedJoin[] },
) {
  requireStatus(found, 'preview')
  const now = clock()
  const transactionUploadId = newId('txup')
  const upload = newUpload(
    found,
    { transactionUploadId, format: 'csv' as const, createdBy, choices: null },
    now,
  )
  const subject = { accountId: found.accountId, entityId: transactionUploadId, version: 1n }
  const event = toMessage(UploadCreatedSchema, upload)
  const changes = [changeOf(UploadCreatedSchema, subject, event)]
  return database.transaction(async (tx) => {
    const isDone = await requestProcessing(tx, found, { upload, now, changes })
    if (!isDone) requireStatus({ ...found, status: 'pending-processing' }, 'preview')
    await keepNamedJoins(tx, upload, joins)
    await requireWithin(tx, uploadBound(config, found.accountId))
    return renderImport((await findImport({ pool: tx }, found)) ?? found)
  })
}

async function getImport(
  { database }: Pick<Deps, 'database'>,
  key: ImportKey,
): Promise<FoundImport> {
  const found = await findImport(database, key)
  if (!found) throw notFound('transaction import')
  return found
}

/** Returns the counts of an upload that has ended (docs/files.md#counts). */
function countsOf(upload: Upload) {
  const { rowCount, importedCount, joinedCount, knownCount, skippedCount } = upload
  const counts = { rowCount, importedCount, joinedCount, knownCount, skippedCount }
  return { ...counts, ...renderJoins(upload), skipped: renderSkipped(upload.skipped) }
}

/** Omits the sample rows, which would make lists of imports too long. */
function withoutRows(reading: CsvReading | null): CsvReading | null {
  return reading && { ...reading, rows: [] }
}

function renderReading(reading: CsvReading) {
  const { sheets = [], rows = [], sheet, dateFormat, decimalMark, minusReverses, ...rest } = reading
  const { numberColumns: _, ...of } = rest
  return create(ReadingSchema, {
    ...of,
    ...(sheet === undefined ? {} : { sheet }),
    ...(dateFormat === undefined ? {} : { dateFormat }),
    ...(decimalMark === undefined ? {} : { decimalMark }),
    ...(minusReverses === undefined ? {} : { minusReverses: minusReverses === 'true' }),
    rows: rows.map((cells) => ({ cells })),
    sheets: sheets.map(({ name, rowCount }) => ({ name, rowCount: BigInt(rowCount) })),
  })
}

function renderImport({ processedBy, ...found }: CsvImport & Partial<FoundImport>) {
  const isEnded = processedBy?.status === 'complete' || processedBy?.status === 'failed'
  return toMessage(ImportSchema, {
    ...found,
    ...(isEnded ? countsOf(processedBy) : {}),
    signature: signatureOf(found.headers),
    preview: found.preview && fromBinary(ImportPreviewSchema, found.preview),
    reading: found.reading && renderReading(found.reading),
  })
}
