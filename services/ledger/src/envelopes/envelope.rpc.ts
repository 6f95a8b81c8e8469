import { create, toBinary } from '@bufbuild/protobuf'
import { timestampDate } from '@bufbuild/protobuf/wkt'
import { keptReplies, once } from '@coffer/kit/database/idempotency'
import { say } from '@coffer/kit/reasons/reasons'
import { notFound, refused } from '@coffer/kit/rpc/errors'
import { toMessage } from '@coffer/kit/rpc/message'
import { callerOf } from '@coffer/kit/rpc/rpc'
import type { ServiceDeps } from '@coffer/kit/service/service'
import {
  type CloseEnvelopeRequest,
  type EndGraceRequest,
  EnvelopeSchema,
  type EnvelopeService,
  type TransferRequest,
  TransferResponseSchema,
} from '@coffer/proto/ledger/v1/envelope'
import { BookedSchema } from '@coffer/proto/ledger/v1/scheduled'
import type { HandlerContext, ServiceImpl } from '@connectrpc/connect'
import type { Bounds } from '../accounts/bounds.sql.ts'
import { requireWritable } from '../book/bank-account.ts'
import { createEnvelope, type Envelope, SpendingType } from '../book/envelope.ts'
import { keepName, listCreatedBy, unassignAll } from '../money/assigned-rows.sql.ts'
import { emitTransactions } from '../money/changed-rows.sql.ts'
import {
  endOperation,
  findEnvelope,
  type Locked,
  type Settlement,
  startOperation,
} from '../money/operation.ts'
import { renderResult } from '../money/settlements.ts'
import { transfer } from '../money/transfer.ts'
import type { Decision } from '../money/unit-of-work.ts'
import type { MoneyWriter } from '../money/writer.service.ts'
import { findEnvelopes, findOverspent, listEnvelopes } from './envelope.sql.ts'
import { closeEnvelope, endGrace, graceOperationId, notePeriodSkipped } from './period.ts'

type Deps = Pick<ServiceDeps, 'database' | 'clock'> & MoneyWriter & { config: Bounds }

/** Returns the RPC handlers that list, create and close envelopes, and transfer money. */
export function envelopeRoutes(deps: Deps): ServiceImpl<typeof EnvelopeService> {
  const { database } = deps
  return {
    listEnvelopes: async (request, context) => {
      const { bankAccountId, spendingIds } = request
      const { accountId } = callerOf(context)
      const key = { accountId, bankAccountId }
      const [envelopes, overspent] = await Promise.all([
        listEnvelopes(database, key, spendingIds),
        request.withOverspent ? findOverspent(database, key) : null,
      ])
      if (!envelopes) throw notFound('bank account')
      const messages = envelopes.map((one) => toMessage(EnvelopeSchema, one))
      for (const message of overspent ? messages : []) {
        const amount = overspent?.get(message.spendingId)
        if (amount !== undefined) message.periodOverspent = amount
      }
      return { envelopes: messages }
    },
    findEnvelopes: async (request, context) => {
      const envelopes = await findEnvelopes(database, callerOf(context).accountId, request)
      return { envelopes: envelopes.map((one) => toMessage(EnvelopeSchema, one)) }
    },
    openEnvelope: (request, context) => findOrCreate(deps, request, context),
    closeEnvelope: async (request, context) => {
      await close(deps, request, context)
      return {}
    },
    noteSkippedPeriod: async ({ bankAccountId, spendingId, due }, context) => {
      const skipped = { spendingId, due: due ? timestampDate(due) : new Date(0) }
      await writeOnce(deps, context, {
        bankAccountId,
        spendingId,
        operationId: `${spendingId}/skipped/${skipped.due.toISOString()}`,
        decide: (locked) => ({
          settlement: notePeriodSkipped(locked, skipped),
          kept: Buffer.alloc(0),
        }),
      })
      return {}
    },
    endGrace: async (request, context) => {
      await endGraceNow(deps, request, context)
      return {}
    },
    transfer: (request, context) =>
      once({ database, context, reply: TransferResponseSchema }, (key) => {
        const { bankAccountId, amount } = request
        const { accountId, userId: createdBy } = callerOf(context)
        const { spendingIds, ...sides } = sidesOf(request)
        return deps.write({
          scope: { accountId, bankAccountId, spendingIds },
          signal: context.signal,
          createdBy,
          decide: (locked) => {
            requireWritable(locked.bankAccount)
            const started = startOperation(locked)
            transfer(started, { ...sides, amount, causeId: locked.operation.operationId })
            const settlement = endOperation(started)
            const reply = create(TransferResponseSchema, renderResult(settlement))
            return { settlement, reply, replies: keptReplies(key, reply) }
          },
        })
      }),
  }
}

/**
 * Ends a grace before its time (docs/money/grace.md). Uses the operation ID and the reply of the
 * hourly job, so that the job does not end it again.
 */
async function endGraceNow(
  deps: Deps,
  { bankAccountId, spendingId, carryOver, ...dates }: EndGraceRequest,
  context: HandlerContext,
): Promise<void> {
  const due = dates.due && timestampDate(dates.due)
  const graceUntil = dates.graceUntil ? timestampDate(dates.graceUntil) : new Date(0)
  const end = { spendingId, carryOver, graceUntil, due }
  await writeOnce(deps, context, {
    bankAccountId,
    spendingId,
    operationId: graceOperationId(end),
    decide: (locked) => {
      const { settlement } = endGrace(locked, end)
      const reply = create(BookedSchema, renderResult(settlement))
      return { settlement, kept: Buffer.from(toBinary(BookedSchema, reply)) }
    },
  })
}

interface OnceWritten {
  bankAccountId: string
  spendingId: string
  operationId: string
  /** Returns the rows to save, and the reply that is kept with the operation. */
  decide: (locked: Locked) => { settlement: Settlement; kept: Buffer }
}

/** Idempotent: saves an operation on an envelope under its ID; a repetition changes nothing. */
async function writeOnce(
  deps: Deps,
  context: HandlerContext,
  { bankAccountId, spendingId, operationId, decide }: OnceWritten,
): Promise<void> {
  const { accountId, userId: createdBy } = callerOf(context)
  const key = { accountId, bankAccountId, operationId }
  await deps.write({
    scope: { ...key, spendingIds: [spendingId] },
    operationId,
    signal: context.signal,
    createdBy,
    decide: ({ booked, ...locked }) => {
      if (booked) return { reply: undefined }
      const { settlement, kept } = decide(locked)
      const operation = { ...key, reply: kept, createdAt: locked.operation.now }
      return { settlement, operation, reply: undefined }
    },
  })
}

function sidesOf(request: TransferRequest) {
  const fromSpendingId = request.fromSpendingId ?? null
  const toSpendingId = request.toSpendingId ?? null
  const spendingIds = [fromSpendingId, toSpendingId].filter((side) => side !== null)
  return { fromSpendingId, toSpendingId, spendingIds }
}

async function findOrCreate(
  { config: { envelopesMax }, write }: Deps,
  request: { bankAccountId: string; spendingId: string; spendingType: string },
  context: HandlerContext,
) {
  const { accountId, userId: createdBy } = callerOf(context)
  const { bankAccountId, spendingId } = request
  const identity = { accountId, bankAccountId, spendingId }
  const spendingType = SpendingType.parse(request.spendingType)
  const envelope = await write({
    scope: { accountId, bankAccountId, spendingIds: [spendingId], countsEnvelopes: true },
    createdBy,
    signal: context.signal,
    decide: (current): Decision<Envelope> => {
      requireWritable(current.bankAccount)
      const known = current.envelopes.find((one) => one.spendingId === spendingId)
      if (known) return { reply: known }
      if (current.openEnvelopes >= envelopesMax) {
        throw refused(say('ENVELOPES_MAX', { max: envelopesMax }))
      }
      const created = createEnvelope({ ...identity, spendingType }, current.operation.now)
      return { settlement: endOperation(startOperation(current)), created, reply: created }
    },
  })
  return { envelope: toMessage(EnvelopeSchema, envelope) }
}

/** Closes an envelope in one database transaction; a second call changes nothing. */
async function close(
  { changeRows, writeIn, clock }: Deps,
  { bankAccountId, spendingId, name }: CloseEnvelopeRequest,
  context: HandlerContext,
): Promise<void> {
  const { accountId, userId: createdBy } = callerOf(context)
  const key = { accountId, bankAccountId }
  const decide = (locked: Locked): Decision<undefined> => {
    requireWritable(locked.bankAccount)
    const started = startOperation(locked)
    const envelope = findEnvelope(started, spendingId)
    // Nothing to do: the envelope is closed already, or was never created.
    if (!envelope) return { reply: undefined }
    closeEnvelope(started, envelope)
    return { settlement: endOperation(started), reply: undefined }
  }
  await changeRows([key], async (tx) => {
    const cleared = await unassignAll(tx, { ...key, spendingId })
    const scope = { ...key, spendingIds: [spendingId] }
    await writeIn(tx, key, async () => {
      // The bank account is locked now, so no further transaction can be assigned to the envelope.
      const later = await unassignAll(tx, { ...key, spendingId })
      if (name !== undefined) await keepName(tx, { ...key, spendingId }, name)
      const created = await listCreatedBy(tx, key, { spendingId })
      const ids = [...new Set([...cleared, ...later, ...created])]
      await emitTransactions(tx, { ...key, now: clock() }, { type: 'transaction.updated', ids })
      return { scope, createdBy, decide }
    })
  })
}
