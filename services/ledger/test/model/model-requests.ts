import type { MessageInitShape } from '@bufbuild/protobuf'
import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import type { Household } from '@coffer/host/testing/household'
import { isTransient, refused } from '@coffer/kit/rpc/errors'
import { headers } from '@coffer/kit/rpc/rpc'
import { newId } from '@coffer/kit/values/id'
import type { BookingSchema, ScheduledService } from '@coffer/proto/ledger/v1/scheduled'
import type { SyncImportService } from '@coffer/proto/ledger/v1/sync_import'
import { type CallOptions, type Client, ConnectError } from '@connectrpc/connect'
import { importFile, statementOf } from '../imports/uploading.ts'
import { type anAccount, aRow } from '../syncs/syncing.ts'
import { dayOfDue } from './model-envelope.ts'
import { fileAt } from './model-files.ts'
import type {
  Body,
  Deposit,
  Fields,
  Kind,
  Of,
  Operation,
  ProviderRow,
  Stated,
  Until,
} from './model-operation.ts'

/** Upload IDs by the serial number of the operation that imported the file. */
export type Uploads = Map<number, string>

/**
 * A household, RPC clients for budgeting and a sync, and its bank account as a provider describes
 * it (`account`).
 */
export type Home = Household & {
  account: ReturnType<typeof anAccount>
  scheduled: Client<typeof ScheduledService>
  sync: Client<typeof SyncImportService>
  byBudgeting: () => CallOptions
  bySync: () => CallOptions
  deleteAccount: () => Promise<unknown>
}

type Requests = {
  [One in Kind]: (home: Home, of: Of<One>, uploads: Uploads) => Promise<unknown>
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
  fund: (home, { serial, lines, deposit }) => {
    const given = lines.map(({ envelope: spendingId, amount, ceiling }) => {
      return { spendingId, amount: BigInt(amount), ceiling: BigInt(ceiling) }
    })
    const { schedule: fundingScheduleId = newId('fund') } = deposit ?? {}
    const run = { fundingRunId: newId('run'), fundingScheduleId, lines: given }
    const made = deposit && automatic(`d${serial}`, { ...deposit, amount: -deposit.amount })
    const value = { bankAccountId: home.bankAccountId, ...run, ...(made ? { deposit: made } : {}) }
    return twice(() => book(home, { case: 'funding', value }))
  },
  endPeriod: (home, { serial, envelope: spendingId, target, carryOver, bill, until }) => {
    const end = { spendingId, due: dueOf(serial), targetAmount: BigInt(target), carryOver }
    const made = bill && automatic(`b${serial}`, { ...bill, amount: target })
    const transaction = made ? { transaction: made } : {}
    const graceUntil = until ? { graceUntil: instantOf(until) } : {}
    const value = { bankAccountId: home.bankAccountId, ...end, ...transaction, ...graceUntil }
    return twice(() => book(home, { case: 'periodEnd', value }))
  },
  endGrace: (home, { envelope: spendingId, until, carryOver }) => {
    const end = { spendingId, graceUntil: instantOf(until), carryOver }
    const value = { bankAccountId: home.bankAccountId, ...end }
    return twice(() => book(home, { case: 'graceEnd', value }))
  },
  skip: ({ envelopes, bankAccountId, as }, { serial, envelope: spendingId }) => {
    const body = { bankAccountId, spendingId, due: dueOf(serial) }
    return twice(() => envelopes.noteSkippedPeriod(body, as))
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
  forget: ({ transactions, bankAccountId, as }, { schedule: fundingScheduleId }) =>
    twice(() => transactions.forgetSchedule({ bankAccountId, fundingScheduleId }, as)),
  change: ({ transactions, bankAccountId, as }, { id: transactionId, fields }) => {
    const { isRefund, ...named } = fields
    const envelope = isRefund ? 'refund_spending_id' : 'spending_id'
    const updateMask = maskOf(named, { day: 'date', envelope })
    const body = { bankAccountId, transactionId, ...fieldsOf(fields), updateMask }
    return transactions.updateTransaction(body, as)
  },
  delete: ({ transactions, bankAccountId, as }, { id: transactionId, adjusts, soft }) => {
    const body = { bankAccountId, transactionId, adjustsBalance: adjusts, soft }
    return transactions.deleteTransaction(body, as)
  },
  restore: (home, { serial, id: transactionId }) => {
    const key = { bankAccountId: home.bankAccountId, transactionId }
    return twice(() => home.transactions.restoreTransaction(key, keyed(home, serial)))
  },
  correct: (home, { serial, id: transactionId, amount, isPending }) => {
    const key = { bankAccountId: home.bankAccountId, transactionId }
    const body = { ...key, amount: BigInt(amount), isPending }
    return twice(() => home.corrections.correctTransaction(body, keyed(home, serial)))
  },
  changeAccount: ({ accounts, bankAccountId, as }, { fields }) => {
    const balances = { current: 'current_balance', available: 'available_balance' }
    const updateMask = maskOf(fields, { ...balances, limit: 'limit_balance' })
    const given = withoutNulls(fields)
    const { current, available, limit, ...texts } = given
    const body = { bankAccountId, ...balancesOf(given), ...texts, updateMask }
    return accounts.updateBankAccount(body, as)
  },
  import: async (home, { serial, ...of }, uploads) => {
    const file = fileAt(of.file)
    const rows = Object.entries(file.rows).map(([id, amount]) => [id, dollars(-amount)])
    const { current, available } = file.pots
    const text = statementOf(Object.fromEntries(rows), {
      ...(current === undefined ? {} : { ledger: dollars(current) }),
      ...(available === undefined ? {} : { available: dollars(available) }),
      asOf: file.day === null ? null : `202601${file.day}`,
      ...(file.availableDay === undefined ? {} : { availableAsOf: `202601${file.availableDay}` }),
    })
    const { transactionUploadId, status, error } = await importFile(home, text)
    if (status !== 'complete') throw refused(error ?? status)
    uploads.set(serial, transactionUploadId)
  },
  sync: (home, { providerRows }) => {
    const { bankAccountId, account, bySync } = home
    const { providerAccountId } = account
    const transactions = providerRows.map((providerRow) => rowBody(home, providerRow))
    const batch = { bankAccountId, providerAccountId, transactions }
    return twice(() => home.sync.importTransactions(batch, bySync()))
  },
  withdraw: (home, { ids }) => {
    const providerTransactionIds = ids.map((id) => providerId(home, id))
    const batch = { bankAccountId: home.bankAccountId, providerTransactionIds }
    return twice(() => home.sync.removeTransactions(batch, home.bySync()))
  },
  setBalances: (home, { stated }) => {
    const body = { bankAccountId: home.bankAccountId, ...balancesOf(stated) }
    return twice(() => home.sync.setBalances(body, home.bySync()))
  },
  refresh: ({ linkId, account, sync, bySync }, { stated, originalName: name }) => {
    const { availableBalance, currentBalance, ...rest } = account
    const accounts = [{ ...rest, name, ...balancesOf(stated) }]
    return twice(() => sync.upsertBankAccounts({ linkId, accounts }, bySync()))
  },
  undo: ({ uploads: client, bankAccountId, as }, { upload }, uploads) => {
    const key = { bankAccountId, transactionUploadId: uploads.get(upload) ?? '' }
    return twice(() => client.undoUpload(key, as))
  },
  archive: ({ accounts, bankAccountId, as }) =>
    twice(() => accounts.archiveBankAccount({ bankAccountId }, as)),
  deleteLink: ({ links, linkId, as }) => twice(() => links.deleteLink({ linkId }, as)),
  deleteAccount: (home) => twice(home.deleteAccount),
}

/** Returns the mask of a PATCH; `renamed` has the fields with another name in the contract. */
function maskOf(fields: object, renamed: Record<string, string>) {
  const snake = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
  return { paths: Object.keys(fields).map((name) => renamed[name] ?? snake(name)) }
}

/** Returns fields of a transaction in the terms of the contract; null ones are left out. */
function fieldsOf({
  amount,
  day,
  envelope,
  isRefund,
  ...rest
}: Partial<Fields & { name: string }>) {
  const named = isRefund ? 'refundSpendingId' : 'spendingId'
  return {
    ...withoutNulls(rest),
    ...(amount === undefined ? {} : { amount: BigInt(amount) }),
    ...(day === undefined ? {} : { date: dateOf(day) }),
    ...(envelope ? { [named]: envelope } : {}),
  }
}

type WithoutNulls<Made> = { [Name in keyof Made]: Exclude<Made[Name], null> }

function withoutNulls<Made extends object>(made: Made): Partial<WithoutNulls<Made>> {
  const given = Object.entries(made).filter(([, value]) => value !== null)
  return Object.fromEntries(given) as Partial<WithoutNulls<Made>>
}

/** Returns a provider's transaction as a sync sends it. Equal rows give equal transactions. */
function rowBody(home: Home, { id, amount, isPending, pendingOf, text }: ProviderRow) {
  const names = { displayName: id, originalName: text, name: text, merchantName: '' }
  const named = pendingOf && { pendingProviderTransactionId: providerId(home, pendingOf) }
  const providerTransactionId = providerId(home, id)
  const said = { providerTransactionId, ...named, ...names, isPending, date: '2026-01-10' }
  return aRow({ ...said, amount: BigInt(amount) })
}

function providerId({ bankAccountId }: Home, id: string): string {
  return `${id} ${bankAccountId}`
}

function balancesOf({ available, current, limit }: Stated) {
  return {
    ...(available === undefined ? {} : { availableBalance: BigInt(available) }),
    ...(current === undefined ? {} : { currentBalance: BigInt(current) }),
    ...(limit === undefined ? {} : { limitBalance: BigInt(limit) }),
  }
}

type Named = NonNullable<MessageInitShape<typeof BookingSchema>['operation']>

function book({ scheduled, accountId, byBudgeting }: Home, operation: Named) {
  return scheduled.book({ bookings: [{ accountId, operation }] }, byBudgeting())
}

/**
 * Returns an automatic transaction as budgeting sends it, with a new ID. Repeated calls with the
 * same result create it once.
 */
function automatic(name: string, { amount, day }: Pick<Deposit, 'amount' | 'day'>) {
  return { transactionId: newId('txn'), name, amount: BigInt(amount), date: dateOf(day) }
}

function bodyOf(name: string, { adjusts, ...fields }: Body) {
  return { ...fieldsOf({ ...fields, name }), adjustsBalance: adjusts }
}

/**
 * Sends an operation to the server, some kinds as two identical concurrent calls. Returns false if
 * the server refuses it; throws if the error is transient.
 */
export async function request(home: Home, operation: Operation, uploads: Uploads) {
  // Cast: TypeScript cannot infer that the function of this kind accepts the operation.
  const send = requests[operation.kind] as Requests['undo']
  try {
    await send(home, operation as Of<'undo'>, uploads)
    return true
  } catch (error) {
    if (!(error instanceof ConnectError) || isTransient(error)) throw error
    return false
  }
}

/**
 * Makes the call twice concurrently and waits for both answers. Throws only if both calls are
 * refused: a refusal is not stored under an Idempotency-Key, so one call may be accepted after the
 * other is refused.
 */
async function twice(send: () => Promise<unknown>): Promise<void> {
  const outcomes = await Promise.allSettled([send(), send()])
  if (outcomes.some(({ status }) => status === 'fulfilled')) return
  for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason
}

function keyed({ as }: Home, serial: number) {
  const named = { [headers.idempotencyKey]: `k${serial}`, [headers.bodyHash]: 'ab' }
  return { ...as, headers: named }
}

/** Returns midnight in Chicago of a day of January 2026. */
function dateOf(day: number) {
  return timestampFromDate(new Date(Date.UTC(2026, 0, day, 6)))
}

/** Returns a due date of its own for each serial number, just before the rows of files. */
function dueOf(serial: number) {
  return instantOf({ day: dayOfDue, serial: serial + 1 })
}

function instantOf({ day, serial }: Until) {
  return timestampFromDate(new Date(Date.UTC(2026, 0, day, 6) + serial))
}

function dollars(cents: number): string {
  return (cents / 100).toFixed(2)
}
