import { isDeepStrictEqual } from 'node:util'
import type { TrackedRows } from '@coffer/kit/database/tracked-rows'
import type { Cause, ChangedObject, ObjectType } from '@coffer/kit/values/changed-object'
import { BankAccount } from '../book/bank-account.ts'
import { Envelope } from '../book/envelope.ts'
import type { AccountRecord, ProviderRecord } from '../book/provider-record.ts'
import { Transaction } from '../book/transaction.ts'

/** Changes of objects, as clients see them, that a save makes for one cause. */
export interface ToldObjects {
  cause: Cause
  objects: ChangedObject[]
}

/** Rows of a bank account before and after the decisions of a save. */
interface SavedRows {
  state: { bankAccount: BankAccount }
  settlements: { bankAccount: BankAccount; envelopes: TrackedRows<Envelope> }
  transactions: TrackedRows<Transaction>
  records: TrackedRows<ProviderRecord>
  accountRecords: readonly AccountRecord[]
  /** The cause of the last change of each row, by its ID. */
  causes: Map<string, Cause>
}

/** Stores the cause of each row that a decision changes; without a settlement it changes none. */
export function noteCause(
  { causes, state }: Pick<SavedRows, 'causes' | 'state'>,
  decision: {
    settlement?: { envelopes: readonly Envelope[] }
    created?: Envelope
    transactions?: readonly Transaction[]
    deleted?: readonly Transaction[]
    records?: readonly ProviderRecord[]
  },
  cause: Cause,
): void {
  const { settlement, created, transactions = [], deleted = [], records = [] } = decision
  if (!settlement) return
  for (const { transactionId } of [...transactions, ...deleted, ...records]) {
    causes.set(transactionId, cause)
  }
  for (const { spendingId } of settlement.envelopes) causes.set(spendingId, cause)
  if (created) causes.set(created.spendingId, cause)
  causes.set(state.bankAccount.bankAccountId, cause)
}

/**
 * Returns the objects that a save changes for clients, each with the bank account's new version, by
 * cause (docs/events.md#objects-that-changed). Rows without a cause are left out.
 */
export function toldObjects(saved: SavedRows): ToldObjects[] {
  const { bankAccountId, version } = saved.settlements.bankAccount
  const told = new Map<string, ToldObjects>()
  const types = [...transactionTypes(saved), ...spendingTypes(saved), ...bankAccountTypes(saved)]
  for (const [objectId, type] of types) {
    const cause = saved.causes.get(objectId)
    if (!cause) continue
    const key = `${cause.actor} ${cause.causeId}`
    const same = told.get(key) ?? { cause, objects: [] }
    same.objects.push({ type, objectId, bankAccountId, version })
    told.set(key, same)
  }
  return [...told.values()]
}

type TypeOf = [objectId: string, type: ObjectType]

function transactionTypes({ transactions, records }: SavedRows): TypeOf[] {
  const { read, current } = transactions
  const types: TypeOf[] = []
  for (const [id, after] of current) {
    const before = read.get(id)
    if (before === after) continue
    const type = before ? changeOf(before, after) : isLive(after) ? 'created' : null
    if (type !== null) types.push([id, `transaction.${type}`])
  }
  for (const [id, before] of read) {
    if (!current.has(id) && isLive(before)) types.push([id, 'transaction.deleted'])
  }
  const known = new Set(types.map(([id]) => id))
  // Clients see a provider record as part of its transaction, so a changed record is published as
  // an update of the transaction.
  for (const [id, after] of records.current) {
    const { transactionId } = after
    if (records.read.get(id) === after || known.has(transactionId)) continue
    if (!current.has(transactionId)) continue
    known.add(transactionId)
    types.push([transactionId, 'transaction.updated'])
  }
  return types
}

function changeOf(before: Transaction, after: Transaction) {
  if (isLive(before) !== isLive(after)) return isLive(after) ? 'restored' : 'deleted'
  if (!differs(Transaction.shape, before, after)) return null
  // A change of a soft-deleted transaction is published as `deleted` again: clients that list live
  // transactions can ignore it, and clients that list deleted ones refresh their list.
  return isLive(after) ? 'updated' : 'deleted'
}

function isLive({ deletedAt }: Pick<Transaction, 'deletedAt'>): boolean {
  return deletedAt === null
}

/**
 * Returns the changes of envelopes to publish. A new envelope that holds no money yet is left out,
 * because budgeting publishes its spending object once the plan is complete.
 */
function spendingTypes({ settlements }: SavedRows): TypeOf[] {
  const { read, current } = settlements.envelopes
  return [...current].flatMap(([id, after]): TypeOf[] => {
    const before = read.get(id)
    if (before === after || before?.closedAt) return []
    if (after.closedAt !== null) return [[id, 'spending.deleted']]
    const isSame = before ? !differs(Envelope.shape, before, after) : after.version === 1n
    return isSame ? [] : [[id, 'spending.updated']]
  })
}

function bankAccountTypes({ state, settlements, accountRecords }: SavedRows): TypeOf[] {
  const { bankAccount: before } = state
  const { bankAccount: after } = settlements
  const isArchived = after.deletedAt !== null
  if (isArchived !== (before.deletedAt !== null)) {
    return [[after.bankAccountId, isArchived ? 'bank_account.archived' : 'bank_account.restored']]
  }
  const isChanged = accountRecords.length > 0 || differs(BankAccount.shape, before, after)
  return isChanged ? [[after.bankAccountId, 'bank_account.updated']] : []
}

/** Returns whether a field other than the version differs. */
function differs<Row extends object>(shape: object, before: Row, after: Row): boolean {
  return (Object.keys(shape) as (keyof Row)[]).some((field) => {
    if (field === 'version' || before[field] === after[field]) return false
    return typeof after[field] !== 'object' || !isDeepStrictEqual(before[field], after[field])
  })
}
