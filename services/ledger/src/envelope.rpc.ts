import { create } from '@bufbuild/protobuf'
import { notFound } from '@coffer/kit/errors'
import { once } from '@coffer/kit/idempotency'
import { toMessage } from '@coffer/kit/message'
import { callerOf } from '@coffer/kit/rpc'
import type { ServiceDeps } from '@coffer/kit/service'
import {
  EnvelopeSchema,
  type EnvelopeService,
  type TransferRequest,
  TransferResponseSchema,
} from '@coffer/proto/ledger/v1/envelope'
import type { HandlerContext, ServiceImpl } from '@connectrpc/connect'
import { requireWritable } from './bank-account.ts'
import { findEnvelope, openBook, settle } from './book.ts'
import { insertEnvelope, listEnvelopes, releaseTransactions } from './envelope.sql.ts'
import { openEnvelope, SpendingType } from './envelope.ts'
import { answerOf, envelopeChanges, lockForOperation, resultOf } from './money.rpc.ts'
import { lockMoney, saveMoney } from './money.sql.ts'
import { closeEnvelope } from './period.ts'
import { scheduledRoutes } from './scheduled.rpc.ts'
import { transfer } from './transfer.ts'

type Deps = Pick<ServiceDeps, 'database' | 'clock'>

/** Envelopes: their amounts, and the money that moves between them (design 1 and 4). */
export function envelopeRoutes(deps: Deps): ServiceImpl<typeof EnvelopeService> {
  const { database } = deps
  return {
    ...scheduledRoutes(deps),
    listEnvelopes: async ({ bankAccountId, spendingIds }, context) => {
      const { accountId } = callerOf(context)
      const envelopes = await listEnvelopes(database, accountId, { bankAccountId, spendingIds })
      if (!envelopes) throw notFound('bank account')
      return { envelopes: envelopes.map((envelope) => toMessage(EnvelopeSchema, envelope)) }
    },
    openEnvelope: (request, context) => open(deps, request, context),
    closeEnvelope: async (request, context) => {
      await close(deps, request, context)
      return {}
    },
    transfer: (request, context) =>
      once({ database, context, reply: TransferResponseSchema }, async (key) =>
        database.transaction(async (tx) => {
          const { bankAccountId, amount } = request
          const { from, to, spendingIds } = sidesOf(request)
          const scope = { ...callerOf(context), bankAccountId, spendingIds }
          const locked = await lockForOperation(tx, scope, { now: deps.clock() })
          requireWritable(locked.bankAccount)
          const book = openBook(locked)
          const move = { fromSpendingId: from, toSpendingId: to, amount }
          transfer(book, { ...move, causeId: locked.operation.operationId })
          const settlement = settle(book)
          const reply = create(TransferResponseSchema, resultOf(settlement))
          const changes = envelopeChanges(settlement.envelopes)
          await saveMoney(tx, { settlement, changes, answer: answerOf(key, reply) })
          return reply
        }),
      ),
  }
}

function sidesOf({ fromSpendingId, toSpendingId }: TransferRequest) {
  const from = fromSpendingId ?? null
  const to = toSpendingId ?? null
  return { from, to, spendingIds: [from, to].filter((side) => side !== null) }
}

async function open(
  { database, clock }: Deps,
  request: { bankAccountId: string; spendingId: string; spendingType: string },
  context: HandlerContext,
) {
  const { accountId } = callerOf(context)
  const { bankAccountId, spendingId } = request
  const identity = { accountId, bankAccountId, spendingId }
  const spendingType = SpendingType.parse(request.spendingType)
  const envelope = await database.transaction(async (tx) => {
    const scope = { accountId, bankAccountId, spendingIds: [spendingId] }
    const locked = await lockMoney(tx, scope)
    if (!locked) throw notFound('bank account')
    requireWritable(locked.bankAccount)
    const [known] = locked.envelopes
    if (known) return known
    const fresh = openEnvelope({ ...identity, spendingType }, clock())
    await insertEnvelope(tx, fresh)
    return fresh
  })
  return { envelope: toMessage(EnvelopeSchema, envelope) }
}

async function close(
  { database, clock }: Deps,
  { bankAccountId, spendingId }: { bankAccountId: string; spendingId: string },
  context: HandlerContext,
): Promise<void> {
  const { accountId } = callerOf(context)
  await database.transaction(async (tx) => {
    const scope = { accountId, bankAccountId, spendingIds: [spendingId] }
    const locked = await lockForOperation(tx, scope, { now: clock() })
    requireWritable(locked.bankAccount)
    const book = openBook(locked)
    const envelope = findEnvelope(book, spendingId)
    // Closed already, or never opened: there is nothing left to return.
    if (!envelope) return
    closeEnvelope(book, envelope)
    const settlement = settle(book)
    const changes = envelopeChanges(settlement.envelopes)
    await saveMoney(tx, { settlement, changes, beside: releaseTransactions(envelope) })
  })
}
