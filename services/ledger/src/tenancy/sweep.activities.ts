import type { ServiceDeps } from '@coffer/kit/service/service'
import { nameOf, type Storage, type StoredBytes } from '../imports/storage/storage.ts'
import { markFileDeleted } from '../imports/upload.sql.ts'
import { deleteRuns, listUnfinishedRuns } from '../rules/rule-run.sql.ts'
import { deleteBulkOperations } from '../transactions/bulk-change.sql.ts'
import { startCleanUp, startImport, startPreview, startRuleRun } from './events.consumer.ts'
import {
  listExpiredFiles,
  listKeptFiles,
  listPendingPreviews,
  listUncleanedLinks,
  listUnfinishedUploads,
  type Page,
} from './sweep.sql.ts'

type Deps = Pick<ServiceDeps, 'database' | 'workflows' | 'clock'> & { storage: Storage }

const pageSize = 200
// Minimum age of unfinished work that a sweep restarts: before, the event of the work normally
// starts the workflow.
const graceMs = 30_000
// Minimum age at which stored bytes without a row are deleted. Longer than any upload and any clock
// difference, so that the bytes of an upload in progress are kept.
const leftoverMs = 24 * 60 * 60_000
// Time in which a change of many transactions can be undone (docs/limits.md).
const bulkKeptMs = 7 * 24 * 60 * 60_000
// Time in which a run of rules can be undone (docs/limits.md).
const runKeptMs = 30 * 24 * 60 * 60_000
// Maximum number of changes of old runs that one sweep deletes.
const runChangesMax = 5_000

/**
 * Returns the Temporal activities that restart unfinished work and delete expired files
 * (docs/events.md#sweeps). Each handles the page after the ID `after` and returns its last ID, null
 * after the last page. Starting a workflow that is running has no effect.
 */
export function sweepActivities({ database, workflows, clock, storage }: Deps) {
  const before = async (ms: number) => new Date((await database.now()).getTime() - ms)
  const page = async (after: string, ageMs: number): Promise<Page> => {
    return { after, before: await before(ageMs), limit: pageSize }
  }
  return {
    // Restarts unfinished runs of rules too, on the first page. They have no activity of their own,
    // because a new activity in the workflow would need a new workflow type.
    restartImports: async (after: string): Promise<string | null> => {
      const runs =
        after === '' ? await listUnfinishedRuns(database, await before(graceMs), pageSize) : []
      for (const run of runs) await startRuleRun(workflows, run)
      const uploads = await listUnfinishedUploads(database, await page(after, graceMs))
      for (const upload of uploads) await startImport(workflows, upload)
      return uploads.at(pageSize - 1)?.transactionUploadId ?? null
    },
    restartPreviews: async (after: string): Promise<string | null> => {
      const imports = await listPendingPreviews(database, await page(after, graceMs))
      for (const one of imports) await startPreview(workflows, one)
      return imports.at(pageSize - 1)?.transactionImportId ?? null
    },
    restartCleanUps: async (after: string): Promise<string | null> => {
      const links = await listUncleanedLinks(database, await page(after, graceMs))
      for (const link of links) await startCleanUp(workflows, link)
      return links.at(pageSize - 1)?.linkId ?? null
    },
    // Deletes old bulk operations and runs of rules too, of all accounts, on the first page.
    expireFiles: async (after: string): Promise<string | null> => {
      const old = await before(bulkKeptMs)
      if (after === '') await deleteBulkOperations(database, old, pageSize)
      if (after === '') await deleteRuns(database, await before(runKeptMs), runChangesMax)
      const files = await listExpiredFiles(database, await page(after, 0))
      for (const file of files) {
        await storage.remove(nameOf(file))
        await markFileDeleted(database, file, clock())
      }
      return files.at(pageSize - 1)?.fileId ?? null
    },
    // Deletes stored bytes without a row, left by a killed upload; pages by object name, not ID.
    removeLeftovers: async (after: string): Promise<string | null> => {
      const { held, next } = await storage.list({ after, limit: pageSize })
      const since = await before(leftoverMs)
      const old = held.filter(({ writtenAt }) => writtenAt < since)
      for (const { name } of await leftoversOf(database, old)) await storage.remove(name)
      return next
    },
  }
}

async function leftoversOf(database: Deps['database'], old: StoredBytes[]): Promise<StoredBytes[]> {
  const kept = await listKeptFiles(
    database,
    old.flatMap(({ key }) => key ?? []),
  )
  const names = new Set(kept.map(nameOf))
  return old.filter(({ name }) => !names.has(name))
}
