import type { MessageInitShape } from '@bufbuild/protobuf'
import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import type { Database } from '@coffer/kit/database'
import { isTransient } from '@coffer/kit/errors'
import { newId } from '@coffer/kit/id'
import { headers } from '@coffer/kit/rpc'
import { hourMs } from '@coffer/kit/time'
import type { BookingSchema, ScheduledService } from '@coffer/proto/ledger/v1/scheduled'
import type { SyncImportService } from '@coffer/proto/ledger/v1/sync_import'
import type { CallOptions, Client } from '@connectrpc/connect'
import { sql } from 'slonik'
import { z } from 'zod'
import type { Household } from './household.ts'
import type { Body, Operation } from './model-operation.ts'
import { listed } from './outcomes.ts'
import { anItem } from './syncing.ts'
import { importFile, statementOf } from './uploading.ts'

/** The server's IDs of uploads by the serial number of the operation that made them. */
export type Uploads = Map<number, string>

const Source = z.object({ transactionId: z.string(), uploadId: z.string().nullable() })

/** A household, and the access of other services to it. */
export type Home = Household & {
  scheduled: Client<typeof ScheduledService>
  sync: Client<typeof SyncImportService>
  byBudgeting: () => CallOptions
  bySync: () => CallOptions
}

type Of<Kind> = Operation & { kind: Kind }
type Requests = {
  [Kind in Operation['kind']]: (home: Home, of: Of<Kind>, uploads: Uploads) => Promise<unknown>
}

const requests: Requests = {
  create: (home, { serial, ...of }) => {
    const { transactions, bankAccountId } = home
    const body = { bankAccountId, ...bodyOf(`t${serial}`, of) }
    return twice(() => transactions.createTransaction(body, keyed(home, serial)))
  },
  createMany: (home, { serial, bodies }) => {
    const { transactions, bankAccountId } = home
    const many = bodies.map((one, index) => bodyOf(`t${serial}.${index}`, one))
    const body = { bankAccountId, transactions: many }
    return twice(() => transactions.createTransactions(body, keyed(home, serial)))
  },
  open: ({ envelopes, bankAccountId, as }, { envelope: spendingId, isGoal }) => {
    const body = { bankAccountId, spendingId, spendingType: isGoal ? 'goal' : 'expense' }
    return twice(() => envelopes.openEnvelope(body, as))
  },
  close: ({ envelopes, bankAccountId, as }, { envelope: spendingId }) =>
    twice(() => envelopes.closeEnvelope({ bankAccountId, spendingId }, as)),
  fund: (home, { lines }) => {
    const given = lines.map(({ envelope: spendingId, amount, ceiling }) => {
      return { spendingId, amount: BigInt(amount), ceiling: BigInt(ceiling) }
    })
    const run = { fundingRunId: newId('run'), fundingScheduleId: newId('fund'), lines: given }
    const value = { bankAccountId: home.bankAccountId, ...run }
    return twice(() => book(home, { case: 'funding', value }))
  },
  endPeriod: (home, { serial, envelope: spendingId, target, carryOver }) => {
    const due = timestampFromDate(new Date(Date.UTC(2026, 1, 1) + serial * hourMs))
    const end = { spendingId, due, targetAmount: BigInt(target), carryOver }
    const value = { bankAccountId: home.bankAccountId, ...end }
    return twice(() => book(home, { case: 'periodEnd', value }))
  },
  transfer: (home, { serial, from, to, amount }) => {
    const { envelopes, bankAccountId } = home
    const sides = {
      ...(from ? { fromSpendingId: from } : {}),
      ...(to ? { toSpendingId: to } : {}),
    }
    const body = { bankAccountId, amount: BigInt(amount), ...sides }
    return twice(() => envelopes.transfer(body, keyed(home, serial)))
  },
  assign: ({ transactions, bankAccountId, as }, { id: transactionId, envelope }) => {
    const patch = envelope ? { spendingId: envelope } : {}
    const updateMask = { paths: ['spending_id'] }
    return transactions.updateTransaction(
      { bankAccountId, transactionId, ...patch, updateMask },
      as,
    )
  },
  amend: ({ transactions, bankAccountId, as }, { id: transactionId, amount }) => {
    const patch = { amount: BigInt(amount), updateMask: { paths: ['amount'] } }
    return transactions.updateTransaction({ bankAccountId, transactionId, ...patch }, as)
  },
  move: ({ transactions, bankAccountId, as }, { id: transactionId, day }) => {
    const patch = { date: dateOf(day), updateMask: { paths: ['date'] } }
    return transactions.updateTransaction({ bankAccountId, transactionId, ...patch }, as)
  },
  delete: ({ transactions, bankAccountId, as }, { id: transactionId, adjusts, soft }) => {
    const body = { bankAccountId, transactionId, adjustsBalance: adjusts, soft }
    return transactions.deleteTransaction(body, as)
  },
  state: ({ accounts, bankAccountId, as }, { pots: { current = 0, available = 0 } }) => {
    const body = { currentBalance: BigInt(current), availableBalance: BigInt(available) }
    const updateMask = { paths: ['current_balance', 'available_balance'] }
    return accounts.updateBankAccount({ bankAccountId, ...body, updateMask }, as)
  },
  import: async (home, { serial, file }, uploads) => {
    const rows = Object.entries(file.rows).map(([id, amount]) => [id, dollars(-amount)])
    const { current, available } = file.pots
    const text = statementOf(Object.fromEntries(rows), {
      ...(current === undefined ? {} : { ledger: dollars(current) }),
      ...(available === undefined ? {} : { available: dollars(available) }),
      asOf: file.day === null ? null : `202601${file.day}`,
      ...(file.availableDay === undefined ? {} : { availableAsOf: `202601${file.availableDay}` }),
    })
    uploads.set(serial, (await importFile(home, text)).transactionUploadId)
  },
  sync: (home, { items }) => {
    const { bankAccountId, bySync } = home
    const batch = {
      bankAccountId,
      providerAccountId: 'checking',
      transactions: itemsOf(home, items),
    }
    return twice(() => home.sync.importTransactions(batch, bySync()))
  },
  undo: ({ uploads: client, bankAccountId, as }, { upload }, uploads) => {
    const key = { bankAccountId, transactionUploadId: uploads.get(upload) ?? '' }
    return Promise.all([client.undoUpload(key, as), client.undoUpload(key, as)])
  },
}

/** The items of a batch, as the provider says them every time. */
function itemsOf(home: Home, items: Record<string, number>) {
  return Object.entries(items).map(([name, amount]) =>
    anItem({
      ...{ providerTransactionId: `${name} ${home.bankAccountId}`, date: '2026-01-10' },
      ...{ displayName: name, originalName: name, name, amount: BigInt(amount) },
    }),
  )
}

type Named = NonNullable<MessageInitShape<typeof BookingSchema>['operation']>

function book({ scheduled, accountId, byBudgeting }: Home, operation: Named) {
  return scheduled.book({ bookings: [{ accountId, operation }] }, byBudgeting())
}

function bodyOf(name: string, { envelope, adjusts, isPending, amount, day }: Body) {
  const named = { name, amount: BigInt(amount), date: dateOf(day) }
  const spending = envelope ? { spendingId: envelope } : {}
  return { ...named, ...spending, adjustsBalance: adjusts, isPending }
}

/** Asks the server for an operation, some of them twice at once; false where it refuses. */
export async function request(home: Home, operation: Operation, uploads: Uploads) {
  // The compiler cannot tell that a kind goes with the request of that kind.
  const ask = requests[operation.kind] as Requests['undo']
  try {
    await ask(home, operation as Of<'undo'>, uploads)
    return true
  } catch (error) {
    if (isTransient(error)) throw error
    return false
  }
}

/**
 * What can be seen of an account, in the model's terms, and the IDs of its rows by their names.
 * Which upload brought a row stands in its table alone: of two at once either may have been first.
 */
export async function look(home: Home, database: Database, uploads: Uploads) {
  const { envelopes: client, bankAccountId, as } = home
  const balances = await home.balances()
  const { envelopes } = await client.listEnvelopes({ bankAccountId }, as)
  const rows = await listed(home)
  const sources = await database.pool.any(sql.type(Source)`
    SELECT transaction_id AS "transactionId", transaction_upload_id AS "uploadId" FROM transactions
    WHERE account_id = ${home.accountId} AND bank_account_id = ${bankAccountId}`)
  const serials = new Map([...uploads].map(([serial, uploadId]) => [uploadId, serial]))
  const uploadOf = new Map(
    sources.map(({ transactionId, uploadId }) => [
      transactionId,
      uploadId === null ? null : (serials.get(uploadId) ?? null),
    ]),
  )
  return {
    ids: new Map(rows.map(({ name = '', transactionId }) => [nameOf(name), transactionId])),
    state: {
      balances: {
        available: Number(balances?.available),
        current: Number(balances?.current),
        expenses: Number(balances?.expenses),
        goals: Number(balances?.goals),
        free: Number(balances?.free),
      },
      envelopes: envelopes
        .map((one) => ({
          id: one.spendingId,
          current: Number(one.currentAmount),
          used: Number(one.usedAmount),
        }))
        .sort((a, b) => (a.id < b.id ? -1 : 1)),
      rows: rows
        .map(({ name = '', amount, spendingId = null, spendingAmount = 0n, transactionId }) => {
          const taken = Number(spendingAmount)
          const upload = uploadOf.get(transactionId) ?? null
          return { name: nameOf(name), amount: Number(amount), envelope: spendingId, taken, upload }
        })
        .sort((a, b) => (a.name < b.name ? -1 : 1)),
    },
  }
}

/**
 * Under one Idempotency-Key a request is carried out once. A refusal is not kept: the second may be
 * accepted when the first was refused, so both are waited for.
 */
async function twice(ask: () => Promise<unknown>): Promise<void> {
  const outcomes = await Promise.allSettled([ask(), ask()])
  if (outcomes.some(({ status }) => status === 'fulfilled')) return
  for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason
}

function keyed({ as }: Home, serial: number) {
  const named = { [headers.idempotencyKey]: `k${serial}`, [headers.bodyHash]: 'ab' }
  return { headers: { ...(as.headers as object), ...named } }
}

/** Rows of files are called `ROW` and their identifier. */
function nameOf(name: string): string {
  return name.replace('ROW ', '')
}

/** A day of January in Chicago. */
function dateOf(day: number) {
  return timestampFromDate(new Date(Date.UTC(2026, 0, day, 6)))
}

function dollars(cents: number): string {
  return (cents / 100).toFixed(2)
}
