import {
  create,
  type DescMessage,
  fromBinary,
  type MessageShape,
  toBinary,
} from '@bufbuild/protobuf'
import { timestampDate } from '@bufbuild/protobuf/wkt'
import { callerOf } from '@coffer/kit/rpc'
import type { ServiceDeps } from '@coffer/kit/service'
import {
  ApplyFundingResponseSchema,
  type AutomaticTransaction as AutomaticMessage,
  ClosePeriodResponseSchema,
  type EnvelopeService,
} from '@coffer/proto/ledger/v1/envelope'
import type { HandlerContext, ServiceImpl } from '@connectrpc/connect'
import type { AutomaticTransaction } from './automatic.ts'
import type { Settlement } from './book.ts'
import { applyFunding, type ScheduledDecision } from './funding.ts'
import { envelopeChanges, lockForOperation, resultOf } from './money.rpc.ts'
import { saveMoney } from './money.sql.ts'
import { findOperation, insertOperation } from './operation.sql.ts'
import { endPeriod } from './period.ts'
import { insertTransaction } from './transaction.sql.ts'
import type { Locked } from './transaction.ts'

type Deps = Pick<ServiceDeps, 'database' | 'clock'>
type Routes = Pick<ServiceImpl<typeof EnvelopeService>, 'applyFunding' | 'closePeriod'>

/**
 * What budgeting's hourly job books. Each is one operation with a natural name; repeated, it
 * changes nothing and answers as it did first (design 4).
 */
export function scheduledRoutes(deps: Deps): Routes {
  return {
    applyFunding: (request, context) => {
      const { bankAccountId, fundingRunId, fundingScheduleId, lines } = request
      const run = { fundingScheduleId, lines, deposit: automatic(request.deposit) }
      const spendingIds = lines.map(({ spendingId }) => spendingId)
      const operation = { bankAccountId, spendingIds, operationId: fundingRunId }
      return bookOnce(
        deps,
        { ...operation, context, reply: ApplyFundingResponseSchema },
        {
          decide: (locked) => applyFunding(locked, run),
          answer: (settlement) => create(ApplyFundingResponseSchema, resultOf(settlement)),
        },
      )
    },
    closePeriod: (request, context) => {
      const { bankAccountId, spendingId, targetAmount, carryOver, due } = request
      const transaction = automatic(request.transaction)
      const end = { spendingId, targetAmount, carryOver, transaction }
      const operationId = `${spendingId}/${due ? timestampDate(due).toISOString() : ''}`
      const operation = { bankAccountId, spendingIds: [spendingId], operationId }
      return bookOnce(
        deps,
        { ...operation, context, reply: ClosePeriodResponseSchema },
        {
          decide: (locked) => endPeriod(locked, end),
          answer: (settlement) => {
            const { balance, envelopes } = resultOf(settlement)
            const [envelope] = envelopes
            return create(ClosePeriodResponseSchema, { balance, ...(envelope ? { envelope } : {}) })
          },
        },
      )
    },
  }
}

interface Named<Reply extends DescMessage> {
  bankAccountId: string
  spendingIds: string[]
  operationId: string
  context: HandlerContext
  reply: Reply
}

async function bookOnce<Reply extends DescMessage>(
  { database, clock }: Deps,
  { bankAccountId, spendingIds, operationId, context, reply: schema }: Named<Reply>,
  by: {
    decide: (locked: Locked) => ScheduledDecision
    answer: (settlement: Settlement) => MessageShape<Reply>
  },
): Promise<MessageShape<Reply>> {
  const { accountId } = callerOf(context)
  const scope = { accountId, bankAccountId, spendingIds }
  return database.transaction(async (tx) => {
    const locked = await lockForOperation(tx, scope, { now: clock(), operationId })
    const first = await findOperation(tx, { accountId, bankAccountId, operationId })
    if (first) return fromBinary(schema, first)
    const { settlement, transaction } = by.decide(locked)
    const reply = by.answer(settlement)
    const kept = Buffer.from(toBinary(schema, reply))
    await saveMoney(tx, {
      settlement,
      changes: envelopeChanges(settlement.envelopes),
      beside: [
        insertOperation(locked.bankAccount, { ...locked.operation, reply: kept }),
        ...(transaction ? [insertTransaction(transaction)] : []),
      ],
    })
    return reply
  })
}

function automatic(message: AutomaticMessage | undefined): AutomaticTransaction | null {
  if (!message) return null
  const { transactionId, name, amount, date } = message
  return { transactionId, name, amount, date: date ? timestampDate(date) : new Date(0) }
}
