import { create, fromBinary, toBinary } from '@bufbuild/protobuf'
import { timestampDate } from '@bufbuild/protobuf/wkt'
import { keyOf } from '@coffer/kit/database/aggregate-key'
import { entitiesMax } from '@coffer/kit/events/changes'
import { say } from '@coffer/kit/reasons/reasons'
import { invalid } from '@coffer/kit/rpc/errors'
import { toMessage } from '@coffer/kit/rpc/message'
import { callerOf } from '@coffer/kit/rpc/rpc'
import type { ServiceDeps } from '@coffer/kit/service/service'
import { movedTo } from '@coffer/kit/values/day'
import { EnvelopeSchema } from '@coffer/proto/ledger/v1/envelope'
import {
  type AutomaticTransaction as AutomaticMessage,
  type Booked,
  BookedSchema,
  type Booking,
  type Funding,
  type GraceEnd,
  type PeriodEnd,
  type ScheduledService,
} from '@coffer/proto/ledger/v1/scheduled'
import type { ServiceImpl } from '@connectrpc/connect'
import type { Locked } from '../money/operation.ts'
import { renderResult } from '../money/settlements.ts'
import { datesAreMoving } from '../money/unit-of-work.ts'
import type { MoneyWork, MoneyWriter } from '../money/writer.service.ts'
import { type AutomaticTransaction, applyFunding, type ScheduledDecision } from './funding.ts'
import { endGrace, endPeriod, graceOperationId } from './period.ts'
import { listWithEnvelopes, lookUpScheduled } from './scheduled.sql.ts'

type Deps = Pick<ServiceDeps, 'database'> & Pick<MoneyWriter, 'writeEach'>

/** Returns the RPC handlers for budgeting's hourly job, across accounts (docs/hourly-job.md). */
export function scheduledRoutes({
  database,
  writeEach,
}: Deps): ServiceImpl<typeof ScheduledService> {
  return {
    lookUp: async ({ bankAccounts: keys }) => {
      const { bankAccounts, envelopes } = await lookUpScheduled(database, keys)
      const byKey = Map.groupBy(envelopes, keyOf)
      return {
        bankAccounts: bankAccounts.map((one) => ({
          accountId: one.accountId,
          bankAccountId: one.bankAccountId,
          linkType: one.linkType,
          archived: one.deletedAt !== null,
          envelopes: (byKey.get(keyOf(one)) ?? []).map((envelope) =>
            toMessage(EnvelopeSchema, envelope),
          ),
        })),
      }
    },
    listWithEnvelopes: async ({ after = null }) => ({
      bankAccounts: [...(await listWithEnvelopes(database, { after, limit: entitiesMax }))],
    }),
    book: async ({ bookings }, context) => {
      const { userId } = callerOf(context)
      const outcomes = await writeEach(
        bookings.map((one) => createWork(readOperation(one), userId)),
      )
      // Idempotent: an operation that is saved already returns its stored reply.
      return { booked: outcomes.map(requireBooked) }
    },
  }
}

/** A funding run or the end of a period; `operationId` is the same in every attempt. */
interface ScheduledOperation {
  accountId: string
  bankAccountId: string
  operationId: string
  spendingIds: readonly string[]
  /** Timezone of the transaction's date. until 0.5: empty, as 0.3 does not send it. */
  timezone: string
  decide: (locked: Locked, dayOf: MoveDate) => ScheduledDecision
}

/** Returns the midnight of the same day in the timezone of the stored transactions. */
type MoveDate = (date: Date) => Date

/** Returns the change that saves an operation once; a repetition returns the stored reply. */
function createWork(operation: ScheduledOperation, createdBy: string): MoneyWork<Booked> {
  const { accountId, bankAccountId, operationId, spendingIds, timezone: from } = operation
  return {
    scope: { accountId, bankAccountId, operationId, spendingIds },
    operationId,
    createdBy,
    decide: ({ booked, timezone: to, ...current }) => {
      if (booked) return { reply: fromBinary(BookedSchema, booked.reply) }
      if (to === '') throw datesAreMoving()
      // Budgeting changes to a new timezone after the ledger (docs/account-data.md#a-new-timezone).
      // Meanwhile it sends midnights of the former timezone, which are converted here.
      const dayOf: MoveDate = (date) => (to && from ? movedTo(date, { from, to }) : date)
      const { settlement, transaction } = operation.decide(current, dayOf)
      const reply = create(BookedSchema, renderResult(settlement))
      const kept = {
        accountId,
        bankAccountId,
        operationId,
        reply: Buffer.from(toBinary(BookedSchema, reply)),
        createdAt: current.operation.now,
      }
      const transactions = transaction ? [transaction] : []
      return { settlement, transactions, operation: kept, reply }
    },
  }
}

function requireBooked(outcome: PromiseSettledResult<Booked>): Booked {
  if (outcome.status === 'rejected') throw outcome.reason
  return outcome.value
}

/** Parses a funding run, or a period's end, whose operation ID is `<spendingId>/<due date>`. */
function readOperation({ accountId, timezone, operation }: Booking): ScheduledOperation {
  const of = { accountId, timezone }
  if (operation.case === 'funding') return { ...of, ...readFunding(operation.value) }
  if (operation.case === 'periodEnd') return { ...of, ...readPeriodEnd(operation.value) }
  if (operation.case === 'graceEnd') return { ...of, ...readGraceEnd(operation.value) }
  throw invalid({ operation: say('REQUIRED') })
}

type Read = Omit<ScheduledOperation, 'accountId' | 'timezone'>

function readFunding(request: Funding): Read {
  const { bankAccountId, fundingRunId: operationId, fundingScheduleId, lines } = request
  const { occurrence: date } = request
  const occurrence = date ? timestampDate(date) : undefined
  const run = { fundingScheduleId, lines, occurrence, deposit: readAutomatic(request.deposit) }
  const spendingIds = lines.map(({ spendingId }) => spendingId)
  const decide: Read['decide'] = (locked, dayOf) =>
    applyFunding(locked, { ...run, deposit: onDay(run.deposit, dayOf) })
  return { bankAccountId, operationId, spendingIds, decide }
}

function readPeriodEnd(request: PeriodEnd): Read {
  const { bankAccountId, spendingId, targetAmount, carryOver, due } = request
  const end = {
    spendingId,
    targetAmount,
    carryOver,
    due: due && timestampDate(due),
    graceUntil: request.graceUntil && timestampDate(request.graceUntil),
    transaction: readAutomatic(request.transaction),
  }
  const operationId = `${spendingId}/${due ? timestampDate(due).toISOString() : ''}`
  const decide: Read['decide'] = (locked, dayOf) =>
    endPeriod(locked, { ...end, transaction: onDay(end.transaction, dayOf) })
  return { bankAccountId, operationId, spendingIds: [spendingId], decide }
}

function onDay(transaction: AutomaticTransaction | null, dayOf: MoveDate) {
  return transaction && { ...transaction, date: dayOf(transaction.date) }
}

function readGraceEnd(request: GraceEnd): Read {
  const { bankAccountId, spendingId, carryOver, due } = request
  if (!request.graceUntil) throw invalid({ graceUntil: say('REQUIRED') })
  const graceUntil = timestampDate(request.graceUntil)
  const end = { spendingId, carryOver, graceUntil, due: due && timestampDate(due) }
  const decide: Read['decide'] = (locked) => endGrace(locked, end)
  return {
    bankAccountId,
    operationId: graceOperationId(end),
    spendingIds: [spendingId],
    decide,
  }
}

function readAutomatic(message: AutomaticMessage | undefined): AutomaticTransaction | null {
  if (!message) return null
  const { transactionId, name, amount, date } = message
  if (!date) throw invalid({ date: say('REQUIRED') })
  return { transactionId, name, amount, date: timestampDate(date) }
}
