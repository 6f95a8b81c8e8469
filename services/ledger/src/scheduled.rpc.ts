import {
  create,
  type DescMessage,
  fromBinary,
  type MessageShape,
  toBinary,
} from '@bufbuild/protobuf'
import { timestampDate } from '@bufbuild/protobuf/wkt'
import { invalid } from '@coffer/kit/errors'
import { callerOf } from '@coffer/kit/rpc'
import type { ServiceDeps } from '@coffer/kit/service'
import {
  ApplyFundingResponseSchema,
  type AutomaticTransaction as AutomaticMessage,
  ClosePeriodResponseSchema,
  type EnvelopeService,
} from '@coffer/proto/ledger/v1/envelope'
import type { HandlerContext, ServiceImpl } from '@connectrpc/connect'
import { UniqueIntegrityConstraintViolationError } from 'slonik'
import type { AutomaticTransaction } from './automatic.ts'
import type { Settlement } from './book.ts'
import { applyFunding, type ScheduledDecision } from './funding.ts'
import { type MoneyWriter, resultOf } from './money.rpc.ts'
import { findOperation } from './operation.sql.ts'
import { endPeriod } from './period.ts'
import type { Locked } from './transaction.ts'

type Deps = Pick<ServiceDeps, 'database'> & { write: MoneyWriter }
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
  { database, write }: Deps,
  { bankAccountId, spendingIds, operationId, context, reply: schema }: Named<Reply>,
  by: {
    decide: (locked: Locked) => ScheduledDecision
    answer: (settlement: Settlement) => MessageShape<Reply>
  },
): Promise<MessageShape<Reply>> {
  const { accountId, userId: createdBy } = callerOf(context)
  const named = { accountId, bankAccountId, operationId }
  const first = await findOperation(database, named)
  if (first) return fromBinary(schema, first)
  try {
    return await write({
      scope: { accountId, bankAccountId, spendingIds },
      operationId,
      signal: context.signal,
      createdBy,
      decide: (locked) => {
        const { settlement, transaction } = by.decide(locked)
        const reply = by.answer(settlement)
        const kept = Buffer.from(toBinary(schema, reply))
        const operation = { ...named, reply: kept, createdAt: locked.operation.now }
        return { settlement, inserted: transaction, operation, reply }
      },
    })
  } catch (error) {
    // Booked by somebody else between the look-up and the lock: the first answer holds.
    const booked = isBooked(error) ? await findOperation(database, named) : null
    if (!booked) throw error
    return fromBinary(schema, booked)
  }
}

function isBooked(error: unknown): boolean {
  return (
    error instanceof UniqueIntegrityConstraintViolationError &&
    error.constraint === 'operations_pkey'
  )
}

function automatic(message: AutomaticMessage | undefined): AutomaticTransaction | null {
  if (!message) return null
  const { transactionId, name, amount, date } = message
  if (!date) throw invalid({ date: 'is required' })
  return { transactionId, name, amount, date: timestampDate(date) }
}
