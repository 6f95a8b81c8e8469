import { create } from '@bufbuild/protobuf'
import { keptReplies, once } from '@coffer/kit/database/idempotency'
import { say } from '@coffer/kit/reasons/reasons'
import { invalid, notFound, unavailable } from '@coffer/kit/rpc/errors'
import { callerOf } from '@coffer/kit/rpc/rpc'
import type { ServiceDeps } from '@coffer/kit/service/service'
import { newId } from '@coffer/kit/values/id'
import {
  AcceptSuggestionResponseSchema,
  RejectSuggestionResponseSchema,
  SeparateTransactionResponseSchema,
  type SuggestionService,
} from '@coffer/proto/ledger/v1/suggestion'
import type { Suggestion } from '@coffer/proto/ledger/v1/transaction'
import type { HandlerContext, ServiceImpl } from '@connectrpc/connect'
import { requireWritable } from '../book/bank-account.ts'
import { endOperation, startOperation } from '../money/operation.ts'
import { renderResult, startSettlements, totalOf } from '../money/settlements.ts'
import type { Current, Decision } from '../money/unit-of-work.ts'
import type { MoneyWriter } from '../money/writer.service.ts'
import { listRecords } from '../records/provider-record.sql.ts'
import { findJoined, renderRecords, renderTransaction } from '../records/transaction-records.ts'
import type { SyncedTransaction } from '../syncs/provider-transaction.ts'
import { joinPosted, rejectPending, takeApart } from '../syncs/sync-join.ts'
import { listUnposted, scorePending } from '../syncs/tip-pairs.ts'

type Deps = Pick<ServiceDeps, 'database'> & Pick<MoneyWriter, 'write'>

/** Returns the RPC handlers of suggestions (docs/syncs.md#suggestions). */
export function suggestionRoutes(deps: Deps): ServiceImpl<typeof SuggestionService> {
  return {
    acceptSuggestion: (request, context) =>
      once({ database: deps.database, context, reply: AcceptSuggestionResponseSchema }, (key) =>
        change(deps, pairOf(request), context, (current) => {
          const pair = requireSuggested(current, request)
          const settlements = startSettlements(current)
          const how = { by: 'user' as const, index: 0 }
          const { kept, left } = joinPosted({ locked: current, settlements }, pair, how)
          const settlement = totalOf(settlements)
          const reply = create(AcceptSuggestionResponseSchema, {
            transaction: render(kept),
            ...renderResult(settlement),
          })
          const saved = { settlement, ...rowsOf([kept, left]) }
          return { ...saved, reply, replies: keptReplies(key, reply) }
        }),
      ),
    rejectSuggestion: (request, context) =>
      once({ database: deps.database, context, reply: RejectSuggestionResponseSchema }, (key) =>
        change(deps, pairOf(request), context, (current) => {
          const { pending, posted } = requireSuggested(current, request)
          const records = rejectPending(posted, pending.transaction)
          const reply = create(RejectSuggestionResponseSchema)
          const settlement = endOperation(startOperation(current))
          return { settlement, records, reply, replies: keptReplies(key, reply) }
        }),
      ),
    separateTransaction: (request, context) => separate(deps, request, context),
  }
}

type Ids = { bankAccountId: string; transactionId: string }

/**
 * Reverses a join: the pending transaction is restored, and the posted record gets its former
 * transaction back, or a new one if it had none.
 */
async function separate(deps: Deps, request: Ids, context: HandlerContext) {
  const { database } = deps
  const { accountId } = callerOf(context)
  return once({ database, context, reply: SeparateTransactionResponseSchema }, async (key) => {
    const records = await listRecords(database, accountId, request)
    const { from, before } = findJoined({ records }) ?? {}
    const otherTransactionId = from ?? ''
    const spendingIds = before?.spendingId ? [before.spendingId] : []
    return change(deps, { ...request, otherTransactionId, spendingIds }, context, (current) => {
      const synced = findSynced(current, request.transactionId)
      if (synced === null) throw notFound('transaction')
      const joined = findJoined(synced)
      const isLive = synced.transaction.deletedAt === null
      if (joined === null || !isLive) throw invalid({ transactionId: notJoined })
      // The scope names the former transaction (`otherTransactionId`) that was read before the
      // lock. If another request has replaced the join since, the client must repeat its request.
      if ((joined.from ?? '') !== otherTransactionId) throw unavailable(say('REPEAT'))
      const former = findSynced(current, otherTransactionId)?.transaction ?? null
      const settlements = startSettlements(current)
      const { source } = synced.transaction
      if (source !== 'aggregator' && source !== 'feed') throw invalid({ transactionId: notJoined })
      const work = { locked: current, settlements, source }
      const of = { former, transactionId: newId('txn'), index: 0, isRejected: true }
      const { kept, left } = takeApart(work, synced, of)
      const settlement = totalOf(settlements)
      const reply = create(SeparateTransactionResponseSchema, {
        transaction: render(left),
        pending: render(kept),
        ...renderResult(settlement),
      })
      const saved = { settlement, ...rowsOf([kept, left]) }
      return { ...saved, reply, replies: keptReplies(key, reply) }
    })
  })
}

const notJoined = say('SUGGESTION_MISSING')

function change<Reply>(
  { write }: Deps,
  ids: Ids & { otherTransactionId: string; spendingIds?: string[] },
  context: HandlerContext,
  decide: (current: Current) => Decision<Reply>,
): Promise<Reply> {
  const { accountId, userId: createdBy } = callerOf(context)
  return write({
    scope: { ...ids, accountId, readsRefundable: true },
    signal: context.signal,
    createdBy,
    decide: (current) => {
      requireWritable(current.bankAccount)
      return decide(current)
    },
  })
}

type Suggested = Ids & { suggestion?: Suggestion | undefined }

function pairOf({ bankAccountId, transactionId, suggestion }: Suggested) {
  return { bankAccountId, transactionId, otherTransactionId: suggestion?.transactionId ?? '' }
}

/**
 * Returns the posted transaction and the pending one that is suggested for it. Throws `invalid` if
 * `suggestion` does not apply to the posted transaction (any more).
 */
function requireSuggested(current: Current, { transactionId, suggestion }: Suggested) {
  const posted = findSynced(current, transactionId)
  if (posted === null) throw notFound('transaction')
  const other = findSynced(current, suggestion?.transactionId ?? '')
  const [pending] = other && suggestion?.kind === 'pending' ? listUnposted([other]) : []
  const isLive = posted.transaction.deletedAt === null
  if (!pending || !isLive || scorePending(pending, posted) === null) {
    throw invalid({ transactionId: say('SUGGESTION_UNKNOWN') })
  }
  return { pending, posted }
}

function findSynced(current: Current, transactionId: string): SyncedTransaction | null {
  const transaction = current.transactions.find((one) => one.transactionId === transactionId)
  if (!transaction) return null
  return {
    transaction,
    records: current.records.filter((one) => one.transactionId === transactionId),
  }
}

function rowsOf(all: readonly SyncedTransaction[]) {
  return {
    transactions: all.map(({ transaction }) => transaction),
    records: all.flatMap(({ records }) => records),
  }
}

function render({ transaction, records }: SyncedTransaction) {
  return renderTransaction(transaction, renderRecords(transaction, records))
}
