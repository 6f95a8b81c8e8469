import { requireWithin } from '@coffer/kit/database/account-bound.sql'
import type { Transaction as Tx } from '@coffer/kit/database/database'
import { changeOf } from '@coffer/kit/events/changes'
import type { Caller } from '@coffer/kit/rpc/caller'
import { toMessage } from '@coffer/kit/rpc/message'
import { newId } from '@coffer/kit/values/id'
import { UploadCreatedSchema } from '@coffer/proto/ledger/v1/events'
import { type Bounds, uploadBound } from '../../accounts/bounds.sql.ts'
import type { ReadingChoices } from '../formats/reading-choices.ts'
import { onlyOf } from '../incoming-file.ts'
import { keepNamedJoins } from '../joining/joined-rows.sql.ts'
import type { NamedJoin } from '../joining/row-joins.ts'
import type { Storage } from '../storage/storage.ts'
import type { FileKey } from '../storage/stored-file.ts'
import { insertUpload } from '../upload.sql.ts'
import { createUpload } from '../upload.ts'
import { type GroupFile, type Mapping, statementOf, type UploadGroup } from './upload-group.ts'

type Made = ReturnType<typeof createUpload> & { joins: readonly NamedJoin[] }

/**
 * Returns a new upload with its own copy of the file for each mapping, so that the imports and the
 * expiry of their files are independent of each other.
 */
export function createParts(
  { group, file }: { group: UploadGroup; file: GroupFile },
  of: { mappings: readonly Mapping[]; choices: ReadingChoices; createdBy: string; now: Date },
): Made[] {
  const { accountId, uploadGroupId, format } = group
  const { name, contentType, size } = file
  return of.mappings.map(({ statement, bankAccountId, joins }) => {
    const ids = { accountId, bankAccountId, fileId: newId('file') }
    const choices = { ...group.choices, ...of.choices, statement }
    const { createdBy } = of
    const body = { ...ids, name, contentType, size, format, choices, createdBy }
    const made = createUpload({ ...body, transactionUploadId: newId('txup') }, of.now)
    return { ...made, upload: { ...made.upload, uploadGroupId }, joins: joins ?? [] }
  })
}

/** Inserts the uploads of a group with their files; their events start the imports. */
export async function insertParts(
  tx: Tx,
  parts: readonly Made[],
  { config, caller }: { config: Bounds; caller: Caller },
): Promise<void> {
  const { accountId, timezone, locale } = caller
  const settings = { accountId, timezone, locale, version: 0n }
  for (const { joins, ...made } of parts) {
    const subject = { accountId, entityId: made.upload.transactionUploadId, version: 1n }
    const event = toMessage(UploadCreatedSchema, made.upload)
    const changes = [changeOf(UploadCreatedSchema, subject, event)]
    await insertUpload(tx, { ...made, settings, changes })
    await keepNamedJoins(tx, made.upload, joins)
  }
  await requireWithin(tx, uploadBound(config, accountId))
}

/** Returns the parts whose statement and bank account are in one of the mappings. */
export function partsOf(parts: readonly Made[], mappings: readonly Mapping[]): Made[] {
  return parts.filter(({ upload }) =>
    mappings.some(
      (one) => one.statement === statementOf(upload) && one.bankAccountId === upload.bankAccountId,
    ),
  )
}

/** Stores a copy of the bytes under each key. */
export async function writeCopies(
  storage: Storage,
  keys: readonly FileKey[],
  bytes: Uint8Array,
): Promise<void> {
  for (const key of keys) await storage.write(key, onlyOf(bytes))
}
