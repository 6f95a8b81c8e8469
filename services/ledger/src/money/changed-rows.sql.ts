import type { BankAccountKey } from '@coffer/kit/database/aggregate-key'
import type { Transaction as Tx } from '@coffer/kit/database/database'
import { emit } from '@coffer/kit/events/changes'
import { objectsChanged } from '@coffer/kit/events/objects-changed'
import type { ObjectType } from '@coffer/kit/values/changed-object'
import { ObjectsChangedSchema } from '@coffer/proto/ledger/v1/events'

/** IDs of rows that a set-based step has changed, and the change to publish to clients. */
interface ChangedRows {
  type: ObjectType
  ids: readonly string[]
}

/** Emits that transactions of a bank account have changed (docs/events.md#objects-that-changed). */
export function emitTransactions(
  tx: Tx,
  { accountId, bankAccountId, now }: BankAccountKey & { now: Date },
  { type, ids }: ChangedRows,
): Promise<void> {
  const objects = ids.map((objectId) => ({ type, objectId, bankAccountId }))
  return emit(tx, ...objectsChanged(ObjectsChangedSchema, { accountId, now }, objects))
}

/** Emits that bank accounts have changed. */
export function emitBankAccounts(
  tx: Tx,
  { accountId, now }: { accountId: string; now: Date },
  { type, ids }: ChangedRows,
): Promise<void> {
  const objects = ids.map((objectId) => ({ type, objectId, bankAccountId: objectId }))
  return emit(tx, ...objectsChanged(ObjectsChangedSchema, { accountId, now }, objects))
}
