import { publishProgress } from '@coffer/kit/events/progress'
import { say } from '@coffer/kit/reasons/reasons'
import { isTransient } from '@coffer/kit/rpc/errors'
import type { ServiceDeps } from '@coffer/kit/service/service'
import { newId } from '@coffer/kit/values/id'
import { ConnectError } from '@connectrpc/connect'
import { findTimezone } from '../accounts/account-settings.sql.ts'
import type { UploadKey } from '../book/upload-key.ts'
import { emitTransactions } from '../money/changed-rows.sql.ts'
import { insertUploaded } from '../money/uploaded-rows.sql.ts'
import type { MoneyWriter } from '../money/writer.service.ts'
import { loadRules } from '../rules/rule.service.ts'
import type { CompiledRules } from '../rules/rule.ts'
import { countsOf, createTransactions, findInstants } from './file-import.ts'
import { lastDigitsOf } from './fit/file-fit.ts'
import { inTurns } from './formats/rows/page-turns.service.ts'
import type { Pages } from './formats/rows/pages.ts'
import {
  type FileRow,
  noteOfFile,
  type ReceivedStatement,
  type Unreadable,
} from './formats/statement.ts'
import type { Readers } from './formats/statement-pool.client.ts'
import { joinBooked, joinNamed } from './joining/join.service.ts'
import { listJoinedIdentifiers } from './joining/joined-rows.sql.ts'
import { countUnjoined } from './joining/row-joins.ts'
import { compareWithStored } from './known/known-rows.service.ts'
import { keepInserted, scopeOfRules, startFileRules, tidyRows } from './rules/file-rules.ts'
import { readForRules, workOfFile } from './settling/file-work.service.ts'
import { nameOf, type Storage } from './storage/storage.ts'
import { loadFile } from './storage/stored-file.service.ts'
import {
  completeUpload,
  failUpload,
  findUpload,
  lockUnfinished,
  markFileDeleted,
  startUpload,
  tryLockImports,
} from './upload.sql.ts'
import { noteOf } from './upload.ts'

type Deps = Pick<ServiceDeps, 'database' | 'broker' | 'clock'> &
  Pick<MoneyWriter, 'writeIn'> & {
    storage: Storage
    readers: Readers
  }

/** Rows per INSERT: a larger statement would block the event loop and delay requests. */
const rowsPerStatement = 250

/** Returns the idempotent Temporal activities that import a file (docs/files.md#importing). */
export function fileImportActivities(deps: Deps) {
  const { database, clock, storage } = deps
  const fail = async (key: UploadKey, fault: Unreadable) => {
    const { unreadable: error, asks = null, skipped = null, statements = null } = fault
    await failUpload(database, key, { error, asks, skipped, statements, now: clock() })
    await publishState(deps, key)
  }
  return {
    startImport: async (key: UploadKey): Promise<void> => {
      if (await startUpload(database, key, clock())) await publishState(deps, key)
    },
    /**
     * Imports the file and returns `done`, also if the upload fails. Returns `busy` while the
     * bank account's dates are being converted to another timezone, while this process reads
     * another file of the account, or while another import into the bank account runs.
     */
    importFile: async (key: UploadKey): Promise<'busy' | 'done'> => {
      const upload = await findUpload(database, key)
      if (upload?.status !== 'processing') return 'done'
      // Optimistic: if the timezone changes while the file is read, the save is refused.
      const timezone = await findTimezone(database, key)
      if (timezone === '') return 'busy'
      // Early check, to not read the file in vain: without a transaction, the lock ends at once.
      if (!(await tryLockImports(database.pool, key))) return 'busy'
      try {
        const load = () => loadFile(deps, upload, upload.format)
        const statement = await deps.readers.read(key.accountId, load)
        if (statement === 'busy') return 'busy'
        if ('unreadable' in statement) {
          await fail(key, statement)
        } else {
          const rules = await loadRules(database, key.accountId, timezone ?? 'UTC')
          const read = { statement, rules, timezone: timezone ?? undefined }
          if (!(await saveStatement(deps, key, read))) return 'busy'
          await publishState(deps, key)
        }
      } catch (error) {
        // Temporal retries all but refusals, up to eight times (import.workflow.ts).
        if (!(error instanceof ConnectError) || isTransient(error)) throw error
        await fail(key, { unreadable: error.rawMessage })
      }
      return 'done'
    },
    failImport: (key: UploadKey): Promise<void> => fail(key, { unreadable: say('IMPORT_LATER') }),
    removeFile: async (key: UploadKey): Promise<void> => {
      const upload = await findUpload(database, key)
      // A file that needs a choice of the client is kept, to be read again with that choice.
      const isRead = upload?.status === 'complete' || upload?.status === 'failed'
      if (!isRead || upload.asks !== null) return
      await storage.remove(nameOf(upload))
      await markFileDeleted(database, upload, clock())
    },
  }
}

interface ReadFile {
  statement: ReceivedStatement
  rules: CompiledRules
  timezone: string | undefined
}

/**
 * Stores rows and balances of a file in one database transaction, which locks the bank account's
 * row last. Returns false, without effect, while another import into the bank account runs, else
 * true (docs/files.md#importing).
 */
async function saveStatement(
  { database, clock, writeIn }: Deps,
  key: UploadKey,
  { statement, rules, timezone }: ReadFile,
): Promise<boolean> {
  const { accountId, bankAccountId } = key
  const now = clock()
  const instants = findInstants(statement.balances, now)
  return database.transaction(async (tx) => {
    if (!(await tryLockImports(tx, key))) return false
    const upload = await lockUnfinished(tx, key)
    if (!upload) return true
    const known = await compareWithStored(tx, key, statement)
    const { corrections } = known
    const stored = await listJoinedIdentifiers(tx, key)
    const read = { rows: statement.rows, known }
    const { joins: named, outcomes } = await joinNamed(tx, upload, read)
    const joins = [...named, ...(await joinBooked(tx, key, read))]
    const joined = new Set([...stored, ...joins.map(({ row }) => row.uploadIdentifier)])
    const joinedCount = BigInt(joins.length)
    let importedCount = 0n
    const envelopes = scopeOfRules(rules, known)
    const current = await readForRules(tx, key, { envelopes, now })
    const fileRules = startFileRules(rules, current)
    const isNew = (row: FileRow) =>
      !joined.has(row.uploadIdentifier) && !known.isStoredOtherwise(row)
    const select = (page: FileRow[]) => known.resolve(page).filter(isNew)
    for await (const newRows of rowsToInsert(statement.rows, select)) {
      const transactionIds = newRows.map(() => newId('txn'))
      const of = { accountId, bankAccountId, transactionIds, now }
      const created = tidyRows(fileRules, createTransactions(newRows, of))
      const inserted = await insertUploaded(tx, key, created)
      keepInserted(fileRules, created, inserted)
      const rows = { type: 'transaction.created', ids: inserted } as const
      await emitTransactions(tx, { ...key, now }, rows)
      importedCount += BigInt(inserted.length)
    }
    const counts = countsOf(statement, { importedCount, joinedCount, corrections })
    const accountDigits = lastDigitsOf(statement)
    const balancesAsOf = instants?.asOf ?? null
    const stated = { balancesAsOf, accountDigits, note: noteOfFile(statement) }
    const done = { ...counts, ...stated, joins: outcomes, now: clock() }
    await completeUpload(tx, key, done)
    const { createdBy } = upload
    const file = { statement, instants, timezone, joins, importedCount, createdBy }
    return writeIn(tx, key, () => workOfFile(tx, key, { ...file, fileRules, now }))
  })
}

/** Yields selected rows, last first: lists show the largest ID of a day first. */
async function* rowsToInsert(
  rows: Pages<FileRow>,
  select: (page: FileRow[]) => FileRow[],
): AsyncGenerator<FileRow[]> {
  for await (const page of inTurns(rows.lastPages())) {
    const selected = select(page)
    for (let end = selected.length; end > 0; end -= rowsPerStatement) {
      yield selected.slice(Math.max(0, end - rowsPerStatement), end)
    }
  }
}

/** Publishes the stored state of an upload to clients that watch its progress. */
async function publishState({ database, broker }: Deps, key: UploadKey): Promise<void> {
  const upload = await findUpload(database, key)
  if (!upload) return
  const of = { accountId: key.accountId, id: key.transactionUploadId }
  const { status, error, importedCount, skippedCount, skipped } = upload
  const { rowCount, knownCount, joinedCount, joins } = upload
  const note = noteOf(upload)
  publishProgress(broker, of, {
    status,
    ...(error === null ? {} : { error }),
    ...(note === null ? {} : { note }),
    importedCount: Number(importedCount),
    skippedCount: Number(skippedCount),
    rowCount: rowCount === null ? null : Number(rowCount),
    knownCount: knownCount === null ? null : Number(knownCount),
    joinedCount: joinedCount === null ? null : Number(joinedCount),
    ...(status === 'complete' && joins !== null ? { unjoinedCount: countUnjoined(joins) } : {}),
    skipped: skipped ?? [],
  })
}
