import type { Bound } from '@coffer/kit/database/account-bound.sql'
import type { Database, Queries, Transaction as Tx } from '@coffer/kit/database/database'
import { columnsOf, entityOf, insertOf } from '@coffer/kit/database/rows'
import { insertChanges } from '@coffer/kit/events/changes'
import { objectsChanged } from '@coffer/kit/events/objects-changed'
import { say } from '@coffer/kit/reasons/reasons'
import { ObjectsChangedSchema } from '@coffer/proto/ledger/v1/events'
import { sql } from 'slonik'
import { z } from 'zod'
import type { Bounds } from '../../accounts/bounds.sql.ts'
import { tellUpload } from '../upload.sql.ts'
import { Upload } from '../upload.ts'
import { type FoundGroup, GroupFile, UploadGroup } from './upload-group.ts'

export type GroupKey = Pick<UploadGroup, 'accountId' | 'uploadGroupId'>

const Json = z.record(z.string(), z.unknown())
const Found = UploadGroup.extend({ file: Json, uploads: z.array(Json) })
const columns = columnsOf(UploadGroup, { table: 'upload_groups' })
const fileAndUploads = sql.fragment`to_jsonb(files) AS file, coalesce((
    SELECT jsonb_agg(to_jsonb(uploads) ORDER BY transaction_upload_id)
    FROM uploads JOIN bank_accounts USING (account_id, bank_account_id)
    WHERE uploads.account_id = upload_groups.account_id
      AND uploads.upload_group_id = upload_groups.upload_group_id AND removed_at IS NULL
  ), '[]') AS uploads`

/** Returns the bound on an account's stored files of groups. */
export function groupBound({ uploadsMax: max }: Bounds, accountId: string): Bound {
  return {
    scope: `upload_groups ${accountId}`,
    rows: sql.fragment`
      SELECT FROM files
      WHERE account_id = ${accountId} AND bank_account_id IS NULL AND deleted_at IS NULL`,
    max,
    refusal: say('GROUPS_MAX', { max }),
  }
}

const OldFile = GroupFile.pick({ accountId: true, fileId: true })

/**
 * Returns the oldest stored files of groups that an account has above `max`. Only groups whose
 * imports are all complete: clients need their files only to import further accounts.
 */
export function listSurplusFiles(
  { pool }: Database,
  accountId: string,
  max: number,
): Promise<readonly z.infer<typeof OldFile>[]> {
  return pool.any(sql.type(OldFile)`
    WITH held AS (
      SELECT account_id, file_id, upload_group_id FROM files JOIN upload_groups
        USING (account_id, file_id)
      WHERE account_id = ${accountId} AND bank_account_id IS NULL AND deleted_at IS NULL
    )
    SELECT account_id AS "accountId", file_id AS "fileId" FROM held
    WHERE EXISTS (SELECT FROM uploads WHERE uploads.account_id = held.account_id
        AND uploads.upload_group_id = held.upload_group_id)
      AND NOT EXISTS (SELECT FROM uploads WHERE uploads.account_id = held.account_id
        AND uploads.upload_group_id = held.upload_group_id AND status <> 'complete')
    ORDER BY upload_group_id
    LIMIT (SELECT greatest(count(*) - ${max}, 0) FROM held)`)
}

/** Inserts a group of uploads with its file, and emits that it was created. */
export async function insertGroup(
  tx: Tx,
  { group, file }: { group: UploadGroup; file: GroupFile },
): Promise<void> {
  const { accountId, uploadGroupId: objectId, createdAt: now } = group
  const objects = [{ type: 'upload_group.created', objectId }] as const
  const changes = objectsChanged(ObjectsChangedSchema, { accountId, now }, objects)
  await tx.query(sql.unsafe`
    WITH stored AS (${insertOf('files', GroupFile, file)}), emitted AS (${insertChanges(changes)})
    INSERT INTO upload_groups (account_id, upload_group_id, file_id, format, statements, choices,
      created_at, created_by)
    VALUES (${group.accountId}, ${group.uploadGroupId}, ${group.fileId}, ${group.format},
      ${sql.jsonb(group.statements)}, ${sql.jsonb(group.choices)},
      ${group.createdAt.toISOString()}, ${group.createdBy})`)
}

/** Returns the group with its file and its uploads; null if it is unknown. */
export async function findGroup(
  { pool }: { pool: Queries },
  { accountId, uploadGroupId }: GroupKey,
): Promise<FoundGroup | null> {
  const row = await pool.maybeOne(sql.type(Found)`
    SELECT ${columns}, ${fileAndUploads}
    FROM upload_groups JOIN files USING (account_id, file_id)
    WHERE upload_groups.account_id = ${accountId} AND upload_group_id = ${uploadGroupId}`)
  return row && foundOf(row)
}

/** Lists the groups of an account, newest first; `before` is an exclusive upper bound of IDs. */
export async function listGroups(
  { pool }: Database,
  accountId: string,
  { before, limit }: { before: string | null; limit: number },
): Promise<FoundGroup[]> {
  const rows = await pool.any(sql.type(Found)`
    SELECT ${columns}, ${fileAndUploads}
    FROM upload_groups JOIN files USING (account_id, file_id)
    WHERE upload_groups.account_id = ${accountId}
      ${before === null ? sql.fragment`` : sql.fragment`AND upload_group_id < ${before}`}
    ORDER BY upload_group_id DESC LIMIT ${limit}`)
  return rows.map(foundOf)
}

/** Locks the row of a group, which serializes changes of its uploads. */
export async function lockGroup(tx: Tx, { accountId, uploadGroupId }: GroupKey): Promise<void> {
  await tx.query(sql.unsafe`
    SELECT FROM upload_groups
    WHERE account_id = ${accountId} AND upload_group_id = ${uploadGroupId} FOR NO KEY UPDATE`)
}

/** Removes failed uploads from their group, because new uploads replace them. */
export async function leaveGroup(
  tx: Tx,
  { accountId, uploadGroupId }: GroupKey,
  { uploads, now }: { uploads: readonly Upload[]; now: Date },
): Promise<void> {
  const ids = uploads.map(({ transactionUploadId }) => transactionUploadId)
  await tx.query(sql.unsafe`
    UPDATE uploads SET upload_group_id = NULL
    WHERE account_id = ${accountId} AND upload_group_id = ${uploadGroupId}
      AND transaction_upload_id = ANY(${sql.array(ids, 'text')})`)
  for (const upload of uploads) await tellUpload(tx, upload, { type: 'upload.updated', now })
}

function foundOf({ file, uploads, ...group }: z.infer<typeof Found>): FoundGroup {
  return {
    group,
    file: entityOf(GroupFile, file),
    uploads: uploads.map((upload) => entityOf(Upload, upload)),
  }
}
