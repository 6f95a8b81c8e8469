import { timestampDate } from '@bufbuild/protobuf/wkt'
import { invalid } from '@coffer/kit/errors'
import { toMessage } from '@coffer/kit/message'
import { callerOf } from '@coffer/kit/rpc'
import {
  type ApplyFundingRequest,
  type AutomaticTransaction as AutomaticMessage,
  type ClosePeriodRequest,
  EnvelopeSchema,
  type EnvelopeService,
} from '@coffer/proto/ledger/v1/envelope'
import type { Booking, ScheduledService } from '@coffer/proto/ledger/v1/scheduled'
import type { ServiceImpl } from '@connectrpc/connect'
import type { AutomaticTransaction } from './automatic.ts'
import { applyFunding } from './funding.ts'
import { endPeriod } from './period.ts'
import { lookUpScheduled } from './scheduled.sql.ts'
import type { ScheduledOperation } from './scheduled.ts'
import { bookScheduled, type ScheduledDeps } from './scheduled-booking.rpc.ts'

/** What budgeting's hourly job asks for many bank accounts of whatever accounts at once. */
export function scheduledRoutes(deps: ScheduledDeps): ServiceImpl<typeof ScheduledService> {
  return {
    lookUp: async ({ bankAccounts: keys }) => {
      const { bankAccounts, envelopes } = await lookUpScheduled(deps.database, keys)
      const byAccount = Map.groupBy(envelopes, ({ bankAccountId }) => bankAccountId)
      return {
        bankAccounts: bankAccounts.map(({ accountId, bankAccountId, linkType, deletedAt }) => ({
          ...{ accountId, bankAccountId, linkType, archived: deletedAt !== null },
          envelopes: (byAccount.get(bankAccountId) ?? []).map((envelope) =>
            toMessage(EnvelopeSchema, envelope),
          ),
        })),
      }
    },
    book: async ({ bookings }, context) => {
      const { userId: createdBy } = callerOf(context)
      return { booked: await bookScheduled(deps, bookings.map(operationOf), createdBy) }
    },
  }
}

type OneByOne = Pick<ServiceImpl<typeof EnvelopeService>, 'applyFunding' | 'closePeriod'>

/** The same for one run or period of the caller's account. */
export function singleScheduledRoutes(deps: ScheduledDeps): OneByOne {
  return {
    applyFunding: async (request, context) => {
      const { accountId, userId } = callerOf(context)
      const [booked] = await bookScheduled(deps, [fundingOf(accountId, request)], userId)
      return {
        ...(booked?.balance && { balance: booked.balance }),
        envelopes: booked?.envelopes ?? [],
      }
    },
    closePeriod: async (request, context) => {
      const { accountId, userId } = callerOf(context)
      const [booked] = await bookScheduled(deps, [periodEndOf(accountId, request)], userId)
      const [envelope] = booked?.envelopes ?? []
      return {
        ...(booked?.balance && { balance: booked.balance }),
        ...(envelope ? { envelope } : {}),
      }
    },
  }
}

/** A booking as an operation, under the name that tells it from every other. */
function operationOf({ accountId, operation }: Booking): ScheduledOperation {
  if (operation.case === 'funding') return fundingOf(accountId, operation.value)
  if (operation.case === 'periodEnd') return periodEndOf(accountId, operation.value)
  throw invalid({ operation: 'is required' })
}

function fundingOf(accountId: string, request: ApplyFundingRequest): ScheduledOperation {
  const { bankAccountId, fundingRunId: operationId, fundingScheduleId, lines } = request
  const run = { fundingScheduleId, lines, deposit: automatic(request.deposit) }
  const spendingIds = lines.map(({ spendingId }) => spendingId)
  const decide: ScheduledOperation['decide'] = (locked) => applyFunding(locked, run)
  return { accountId, bankAccountId, operationId, spendingIds, decide }
}

function periodEndOf(accountId: string, request: ClosePeriodRequest): ScheduledOperation {
  const { bankAccountId, spendingId, targetAmount, carryOver, due } = request
  const end = { spendingId, targetAmount, carryOver, transaction: automatic(request.transaction) }
  const operationId = `${spendingId}/${due ? timestampDate(due).toISOString() : ''}`
  const decide: ScheduledOperation['decide'] = (locked) => endPeriod(locked, end)
  return { accountId, bankAccountId, operationId, spendingIds: [spendingId], decide }
}

function automatic(message: AutomaticMessage | undefined): AutomaticTransaction | null {
  if (!message) return null
  const { transactionId, name, amount, date } = message
  if (!date) throw invalid({ date: 'is required' })
  return { transactionId, name, amount, date: timestampDate(date) }
}
