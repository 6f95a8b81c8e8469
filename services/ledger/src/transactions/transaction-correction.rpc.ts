import { create } from '@bufbuild/protobuf'
import { keptReplies, once } from '@coffer/kit/database/idempotency'
import { notFound } from '@coffer/kit/rpc/errors'
import { callerOf } from '@coffer/kit/rpc/rpc'
import type { ServiceDeps } from '@coffer/kit/service/service'
import {
  type CorrectionService,
  CorrectTransactionResponseSchema,
} from '@coffer/proto/ledger/v1/correction'
import type { ServiceImpl } from '@connectrpc/connect'
import { renderResult } from '../money/settlements.ts'
import type { MoneyWriter } from '../money/writer.service.ts'
import { renderRecords, renderTransaction } from '../records/transaction-records.ts'
import { correctTransaction } from './transaction-change.ts'
import { correctionHints } from './transaction-hints.ts'
import { readCorrection } from './transaction-request.ts'

type Deps = Pick<ServiceDeps, 'database'> & Pick<MoneyWriter, 'write'>

/** Returns the RPC handler that corrects a transaction (docs/money.md#corrections). */
export function correctionRoutes({ database, write }: Deps): ServiceImpl<typeof CorrectionService> {
  return {
    correctTransaction: (request, context) => {
      const { accountId, userId: createdBy, timezone } = callerOf(context)
      const { bankAccountId, transactionId } = request
      const ids = { bankAccountId, transactionId, spendingIds: [] }
      return once({ database, context, reply: CorrectTransactionResponseSchema }, (key) =>
        write({
          scope: { ...ids, accountId, readsBookings: true, readsRefundable: true },
          signal: context.signal,
          createdBy,
          timezone: request.date && timezone,
          decide: ({ transaction: before, records, ...current }) => {
            if (!before) throw notFound('transaction')
            const correction = readCorrection(request, timezone)
            const state = { ...current, transaction: before }
            const { settlement, transaction } = correctTransaction(state, correction)
            const provided = renderRecords(before, records)
            const reply = create(CorrectTransactionResponseSchema, {
              transaction: renderTransaction(transaction, provided),
              ...renderResult(settlement),
              hints: correctionHints(before, transaction, current.bookings),
            })
            const replies = keptReplies(key, reply)
            return { settlement, transactions: [transaction], reply, replies }
          },
        }),
      )
    },
  }
}
