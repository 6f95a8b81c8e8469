import { create, fromBinary, toBinary } from '@bufbuild/protobuf'
import { groupsOf } from '@coffer/kit/batch'
import { type Change, changeOf, entitiesMax } from '@coffer/kit/changes'
import { toMessage } from '@coffer/kit/message'
import type { ServiceDeps } from '@coffer/kit/service'
import { EnvelopeSchema } from '@coffer/proto/ledger/v1/envelope'
import { EnvelopesChangedSchema } from '@coffer/proto/ledger/v1/events'
import { type Booked, BookedSchema } from '@coffer/proto/ledger/v1/scheduled'
import type { CommonQueryMethods } from 'slonik'
import { resultOf, transactionsChanged } from './money.rpc.ts'
import type { OperationKey } from './operation.sql.ts'
import { readScheduled, type ScheduledScope, type SeenRows } from './scheduled.sql.ts'
import { decideScheduled, type ScheduledOperation, type ScheduledWrite } from './scheduled.ts'
import { type ScheduledSave, saveScheduled } from './scheduled-save.sql.ts'

export type ScheduledDeps = Pick<ServiceDeps, 'database' | 'clock'>

/**
 * Books operations on many bank accounts, all of them or none, and answers each in its order; what
 * is booked already is answered as it was first. Decides on rows as they are and saves if they
 * still are; where somebody was faster, it does the same under the money locks of all of them.
 */
export async function bookScheduled(
  { database, clock }: ScheduledDeps,
  operations: readonly ScheduledOperation[],
  createdBy: string,
): Promise<Booked[]> {
  const scope = scopeOf(operations)
  const by = { now: clock(), createdBy }
  const attempt = async (connection: CommonQueryMethods, isLocking: boolean) => {
    const rows = await readScheduled(connection, scope, { isLocking })
    const { replies, writes } = decided(operations, rows, by)
    if (writes.length === 0) return replies
    const isSaved = await saveScheduled(connection, saveOf(writes), rowsOf(writes, rows))
    return isSaved ? replies : null
  }
  const replies =
    (await database.autocommit((pool) => attempt(pool, false))) ??
    (await database.transaction((tx) => attempt(tx, true)))
  if (!replies) throw new Error('rows have changed under their lock')
  return replies
}

function decided(
  operations: readonly ScheduledOperation[],
  rows: SeenRows,
  by: { now: Date; createdBy: string },
) {
  const kept = new Map(rows.operations.map((one) => [nameOf(one), one.reply]))
  return decideScheduled<Booked>(
    {
      ...rows,
      first: (operation) => {
        const reply = kept.get(nameOf(operation))
        return reply && fromBinary(BookedSchema, reply)
      },
    },
    operations,
    { ...by, answer: (settlement) => create(BookedSchema, resultOf(settlement)) },
  )
}

function saveOf(writes: readonly ScheduledWrite<Booked>[]): ScheduledSave {
  return {
    bankAccounts: writes.map(({ bankAccount }) => bankAccount),
    envelopes: writes.flatMap(({ envelopes }) => envelopes),
    entries: writes.flatMap(({ entries }) => entries),
    inserted: writes.flatMap(({ inserted }) => inserted),
    changes: writes.flatMap(changesOf),
    operations: writes.flatMap((write) =>
      write.operations.map(({ reply, ...operation }) => {
        return { ...operation, reply: Buffer.from(toBinary(BookedSchema, reply)) }
      }),
    ),
  }
}

/** Changes of many envelopes each: one an envelope would cost more than the booking. */
function changesOf({ bankAccount, envelopes, inserted }: ScheduledWrite<Booked>): Change[] {
  const { accountId, bankAccountId } = bankAccount
  // Each envelope says its version; the bank account has none.
  const subject = { accountId, entityId: bankAccountId, version: 0n }
  const messages = envelopes.map((envelope) => toMessage(EnvelopeSchema, envelope))
  return [
    ...groupsOf(messages, entitiesMax).map((group) =>
      changeOf(EnvelopesChangedSchema, subject, { accountId, envelopes: group }),
    ),
    ...(inserted.length > 0 ? [transactionsChanged(bankAccount, { isAutomatic: true })] : []),
  ]
}

/** The rows as they were read, of those bank accounts that are written. */
function rowsOf(
  writes: readonly ScheduledWrite<Booked>[],
  { bankAccounts, envelopes }: SeenRows,
): Pick<SeenRows, 'bankAccounts' | 'envelopes'> {
  const written = new Set(writes.map(({ bankAccount }) => placeOf(bankAccount)))
  return {
    bankAccounts: bankAccounts.filter((one) => written.has(placeOf(one))),
    envelopes: envelopes.filter((one) => written.has(placeOf(one))),
  }
}

/** Each row that operations are about once, in the order of the keys. */
function scopeOf(operations: readonly ScheduledOperation[]): ScheduledScope {
  const held = operations.flatMap(({ spendingIds, ...operation }) =>
    spendingIds.map((spendingId) => ({ ...operation, spendingId })),
  )
  return {
    bankAccounts: inOrder(operations, placeOf),
    envelopes: inOrder(held, (one) => `${placeOf(one)} ${one.spendingId}`),
    operations: inOrder(operations, nameOf),
  }
}

function inOrder<Key>(keys: readonly Key[], textOf: (key: Key) => string): Key[] {
  const byText = new Map(keys.map((key) => [textOf(key), key]))
  return [...byText.keys()].sort().flatMap((text) => byText.get(text) ?? [])
}

function placeOf({ accountId, bankAccountId }: { accountId: string; bankAccountId: string }) {
  return `${accountId} ${bankAccountId}`
}

function nameOf(operation: OperationKey): string {
  return `${placeOf(operation)} ${operation.operationId}`
}
