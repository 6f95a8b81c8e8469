import { createBatcher } from '@coffer/kit/batch'
import { type Change, changeOf } from '@coffer/kit/changes'
import { notFound } from '@coffer/kit/errors'
import { newId } from '@coffer/kit/id'
import type { KeptReply } from '@coffer/kit/idempotency'
import { toMessage } from '@coffer/kit/message'
import type { ServiceDeps } from '@coffer/kit/service'
import { BalancesSchema } from '@coffer/proto/ledger/v1/bank_account'
import { EnvelopeSchema } from '@coffer/proto/ledger/v1/envelope'
import {
  EnvelopeChangedSchema,
  EnvelopeClosedSchema,
  FeedBankAccountArchivedSchema,
  FeedBankAccountOpenedSchema,
  TransactionsChangedSchema,
} from '@coffer/proto/ledger/v1/events'
import { IntegrityConstraintViolationError } from 'slonik'
import { type BankAccount, balancesOf } from './bank-account.ts'
import type { Settlement } from './book.ts'
import type { Envelope } from './envelope.ts'
import { createKeptMoney, type KeptMoney } from './kept-money.ts'
import { lockMoney, type MoneyRows, type MoneyScope, readMoney } from './money.sql.ts'
import { type MoneyWrite, saveMoney } from './money-save.sql.ts'
import { saveUnchanged } from './money-unlocked.sql.ts'
import type { Operation } from './operation.sql.ts'
import { createRecent, type Recent } from './recent.ts'
import { addDecision, openTill, type Till, tillWrite } from './till.ts'
import type { Locked, Transaction } from './transaction.ts'

/** One change of money: which rows it is about, and how it is decided once they are locked. */
export interface MoneyWork<Reply> {
  scope: Omit<MoneyScope, 'transactionIds'> & { transactionId?: string }
  /** Name of the operation in the journal; a new one where nobody named it. */
  operationId?: string
  /** Whose doing it is, for the journal. */
  createdBy?: string | null
  /** Pure. What it throws fails this work alone. */
  decide: (locked: Locked & { transaction: Transaction | null }) => MoneyDecision<Reply>
  /** Runs in a transaction of its own: it changes rows that are not locked one by one. */
  alone?: boolean
  /** Of the call: aborted while the work still waits for the lock, it is not done any more. */
  signal?: AbortSignal
}

/** What is to be saved, and what is answered once it is. */
export interface MoneyDecision<Reply> {
  reply: Reply
  /** Without a settlement nothing is saved. */
  settlement?: Settlement
  inserted?: Transaction | readonly Transaction[] | null
  updated?: Transaction | null
  deleted?: Transaction | null
  replies?: KeptReply[]
  operation?: Operation
}

/** Does one change of money; resolves when it is committed. Throws notFound for the account. */
export type MoneyWriter = <Reply>(work: MoneyWork<Reply>) => Promise<Reply>

const batch = { sizeMax: 64, waitingMax: 1024 }

interface WriterOptions extends Pick<ServiceDeps, 'database' | 'clock'> {
  /** How long a search for similar transactions waits at least, from when it is asked for. */
  quietMs: number
}

/**
 * The one way in which money changes: read or lock, decide, save. Works that wait for the same bank
 * account share a save, each decided on what the one before left; a refused one leaves no trace.
 */
export function createMoneyWriter({ quietMs, ...offered }: WriterOptions): MoneyWriter {
  // A search waits longer than this: what changes meanwhile needs no announcement of its own.
  const announced = createRecent<true>(quietMs / 4)
  const deps = { ...offered, kept: createKeptMoney(), announced }
  const write = createBatcher<MoneyWork<unknown>, unknown>(async (_key, works) => {
    if (works.length === 1 || works.some(({ alone }) => alone)) return oneByOne(deps, works)
    try {
      return await together(deps, works)
    } catch (error) {
      // One of them broke a constraint (a repeated key), so nothing was saved: the others must not
      // pay for it. After anything else (a lost connection) all of it may be saved already.
      if (!(error instanceof IntegrityConstraintViolationError)) throw error
      return oneByOne(deps, works)
    }
  }, batch)
  return async <Reply>(work: MoneyWork<Reply>) => {
    const { accountId, bankAccountId } = work.scope
    return (await write(`${accountId} ${bankAccountId}`, work, work.signal)) as Reply
  }
}

type Deps = Pick<ServiceDeps, 'database' | 'clock'> & { kept: KeptMoney; announced: Recent<true> }
type MoneyTill = Till<KeptReply, Operation>
type Outcomes = PromiseSettledResult<unknown>[]

async function oneByOne(deps: Deps, works: MoneyWork<unknown>[]): Promise<Outcomes> {
  const outcomes: Outcomes = []
  for (const work of works) {
    const [outcome] = await Promise.allSettled([together(deps, [work]).then(([only]) => only)])
    const settled = outcome?.status === 'fulfilled' ? outcome.value : outcome
    outcomes.push(settled ?? { status: 'rejected', reason: notFound('bank account') })
  }
  return outcomes
}

/**
 * Decides on rows as they are and saves if they still are: one round trip where the last write was
 * by this process, else two. Where somebody else was faster, or rows would change that are not
 * among those read, it does the same under the lock.
 */
async function together(deps: Deps, works: MoneyWork<unknown>[]): Promise<Outcomes> {
  const { database, kept } = deps
  const scope = unionOf(works)
  if (!works.some(({ alone }) => alone)) {
    const known = kept.find(scope, deps.clock())
    const onKept = known && (await saveOn(deps, works, { scope, rows: known }))
    if (onKept?.isSaved) return onKept.outcomes
    const rows = await readMoney(database, scope)
    if (!rows) throw notFound('bank account')
    const onRead = await saveOn(deps, works, { scope, rows })
    if (onRead) return onRead.outcomes
  }
  kept.forget(scope)
  const { outcomes, write } = await database.transaction(async (tx) => {
    const locked = await lockMoney(tx, scope)
    if (!locked) throw notFound('bank account')
    const { outcomes, write } = decided(deps, works, locked)
    if (write) await saveMoney(tx, write)
    return { outcomes, write }
  })
  noteAnnounced(deps, write)
  return outcomes
}

/**
 * Decides on rows and saves if they still are so, else null. Outcomes of which nothing is to be
 * saved are true of the rows as they were: those that were kept may have changed meanwhile.
 */
async function saveOn(
  deps: Deps,
  works: MoneyWork<unknown>[],
  { scope, rows }: { scope: MoneyScope; rows: MoneyRows },
) {
  const { database, kept } = deps
  const { outcomes, write } = decided(deps, works, rows)
  if (!write) return { outcomes, isSaved: false }
  try {
    const version = await saveUnchanged(database, scope, { seen: rows.seen, write })
    if (version === null) {
      kept.forget(scope)
      return null
    }
    kept.keep({ ...write, version }, deps.clock())
    noteAnnounced(deps, write)
    return { outcomes, isSaved: true }
  } catch (error) {
    kept.clear()
    throw error
  }
}

function noteAnnounced({ announced }: Deps, write: MoneyWrite | null): void {
  const isSaid = write?.changes.some(({ type }) => type === TransactionsChangedSchema.typeName)
  if (write && isSaid) announced.set(write.bankAccount.bankAccountId, true, performance.now())
}

function decided({ clock, announced }: Deps, works: MoneyWork<unknown>[], rows: MoneyRows) {
  const till: MoneyTill = openTill(rows)
  const outcomes: Outcomes = works.map((work) => attempt(till, work, clock()))
  const write = tillWrite(till)
  const isCovered = announced.get(rows.bankAccount.bankAccountId, performance.now()) ?? false
  return { outcomes, write: write && { ...write, changes: changesOf(write, isCovered) } }
}

function unionOf(works: MoneyWork<unknown>[]): MoneyScope {
  const [first] = works
  if (!first) throw new Error('a batch has at least one work')
  const spendingIds = works.flatMap(({ scope }) => scope.spendingIds)
  const transactionIds = works.flatMap(({ scope }) => scope.transactionId ?? [])
  return {
    ...first.scope,
    spendingIds: [...new Set(spendingIds)],
    transactionIds: [...new Set(transactionIds)],
  }
}

function attempt(
  till: MoneyTill,
  work: MoneyWork<unknown>,
  now: Date,
): PromiseSettledResult<unknown> {
  const { operationId = newId('op'), createdBy = null, scope, decide } = work
  const { bankAccount, envelopes, transactions } = till
  try {
    const decision = decide({
      bankAccount,
      envelopes: [...envelopes.values()],
      operation: { operationId, now, createdBy },
      transaction: transactions.get(scope.transactionId ?? '') ?? null,
    })
    addDecision(till, decision)
    return { status: 'fulfilled', value: decision.reply }
  } catch (reason) {
    return { status: 'rejected', reason }
  }
}

/** `isCovered`: that transactions changed has just been said. */
function changesOf(write: Omit<MoneyWrite, 'changes'>, isCovered: boolean): Change[] {
  const { bankAccount, envelopes, inserted, updated, deleted } = write
  const isOther = inserted.length + deleted.length > 0 || updated.some((one) => one.deletedAt)
  return [
    ...envelopeChanges(envelopes),
    ...(isOther && !isCovered ? [transactionsChanged(bankAccount)] : []),
    // What is archived is not written to any more: this is the write that archives it.
    ...(bankAccount.deletedAt === null ? [] : candidateChanges(bankAccount)),
  ]
}

/** The change that tells feed-sync that a candidate is used, or free again; none for others. */
export function candidateChanges(bankAccount: BankAccount): Change[] {
  const { accountId, bankAccountId, feedBankAccountId, deletedAt } = bankAccount
  if (feedBankAccountId === null) return []
  // The ID of the bank account is what orders them.
  const subject = { accountId, entityId: feedBankAccountId, version: 0n }
  const schema = deletedAt === null ? FeedBankAccountOpenedSchema : FeedBankAccountArchivedSchema
  return [changeOf(schema, subject, { accountId, bankAccountId, feedBankAccountId })]
}

/** The change that has similar transactions looked for anew; one is enough for many of them. */
export function transactionsChanged(
  { accountId, bankAccountId }: { accountId: string; bankAccountId: string },
  { isAutomatic = false } = {},
): Change {
  // It carries no state, so there is nothing that a version would order.
  const subject = { accountId, entityId: bankAccountId, version: 0n }
  return changeOf(TransactionsChangedSchema, subject, { accountId, bankAccountId, isAutomatic })
}

/** The changes that tell the plans: one an envelope, applied there by version. */
export function envelopeChanges(envelopes: readonly Envelope[]): Change[] {
  return envelopes.map((envelope) => {
    const { accountId, bankAccountId, spendingId, version } = envelope
    const subject = { accountId, entityId: spendingId, version }
    if (envelope.closedAt !== null) {
      return changeOf(EnvelopeClosedSchema, subject, { accountId, bankAccountId, spendingId })
    }
    const message = toMessage(EnvelopeSchema, envelope)
    return changeOf(EnvelopeChangedSchema, subject, { accountId, envelope: message })
  })
}

/** What a change of money answers with: the balances, and the changed envelopes in order. */
export function resultOf({ bankAccount, envelopes }: Settlement) {
  return {
    balance: toMessage(BalancesSchema, balancesOf(bankAccount)),
    envelopes: envelopes.map((envelope) => toMessage(EnvelopeSchema, envelope)),
  }
}
