import { isTransient } from '@coffer/kit/rpc/errors'
import { createPace } from '@coffer/kit/service/pace'
import type { ServiceDeps } from '@coffer/kit/service/service'
import { Code, ConnectError } from '@connectrpc/connect'
import { findTimezone } from '../accounts/account-settings.sql.ts'
import type { Transaction } from '../book/transaction.ts'
import { lockMoney } from '../money/money-state.sql.ts'
import { datesAreMoving } from '../money/unit-of-work.ts'
import type { MoneyWriter } from '../money/writer.service.ts'
import type { IsRenamed } from '../transactions/provenance.ts'
import { rangeOf } from '../transactions/transaction-search.ts'
import { readParts } from './rule.service.ts'
import { type CompiledRules, compileRules } from './rule.ts'
import { envelopesOf } from './rule-effects.ts'
import {
  deleteRunChanges,
  findNextAccount,
  findRulesOf,
  findRun,
  hashRulesOf,
  insertRunChanges,
  listLaterChanges,
  listRunChanges,
  listRunRows,
  lockRun,
  type ShownRun,
  updateRun,
  updateRunChanges,
} from './rule-run.sql.ts'
import { listKept, type RuleRun, type RuleRunKey, type RunChange } from './rule-run.ts'
import { type AppliedPage, applyPage, comparePage } from './rule-run-effects.ts'
import { undoPage } from './rule-run-undo.ts'

type Deps = Pick<ServiceDeps, 'database' | 'clock'> &
  Pick<MoneyWriter, 'writeIn'> & { isRenamed: IsRenamed }

/** Number of transactions per page, which bounds how long a bank account is locked. */
const pageSize = 500
/** Maximum number of pages per activity, so that a stopping process waits only seconds for it. */
const pagesMax = 40
/** Duty cycle: the share of time for pages; in the pauses, the account's requests run. */
const pageShare = 0.9

/** Returns the idempotent Temporal activities of a run of rules (docs/rules/runs.md). */
export function ruleRunActivities(deps: Deps) {
  return {
    /** Applies or undoes some pages of a run; returns whether more pages remain. */
    continueRuleRun: async (key: RuleRunKey): Promise<boolean> => {
      using pace = createPace({ share: pageShare })
      try {
        const compile = compiling(deps, key)
        for (let page = 0; page < pagesMax; page += 1) {
          if (!(await pace.run(() => nextPage(deps, key, compile)))) return false
        }
        return true
      } catch (error) {
        // Temporal retries all but refusals, up to ten times (rule-run.workflow.ts).
        if (!(error instanceof ConnectError) || isTransient(error)) throw error
        await fail(deps, key, error.rawMessage)
        return false
      }
    },
    failRuleRun: (key: RuleRunKey): Promise<void> =>
      fail(deps, key, 'The run could not go on for now; undo it, or start another'),
  }
}

type Compile = (timezone: string) => Promise<{ rules: CompiledRules; hash: string | null }>

/**
 * Returns a function that compiles the rules of a run, and caches the result. It recompiles for
 * another timezone, and if the hash of the rules changes, because tags were renamed.
 */
function compiling({ database }: Deps, key: RuleRunKey): Compile {
  let last: (Awaited<ReturnType<Compile>> & { timezone: string }) | null = null
  return async (timezone) => {
    const hash = await hashRulesOf(database, key)
    if (last && last.timezone === timezone && last.hash === hash) return last
    const stored = await findRulesOf(database, key)
    const kept = listKept(stored?.rules ?? []).map((rule) => ({ ...rule, ...readParts(rule) }))
    last = { rules: compileRules(kept, timezone), hash: stored?.hash ?? null, timezone }
    return last
  }
}

/** Applies or undoes the next page of a run; returns whether more pages may remain. */
async function nextPage(deps: Deps, key: RuleRunKey, compile: Compile): Promise<boolean> {
  const run = await findRun(deps.database, key)
  if (run?.status === 'running') return applyNext(deps, run, compile)
  if (run?.status === 'undoing') return undoNext(deps, key)
  return false
}

/**
 * Compares a page without a lock, then saves its changes with the run's new cursor. Idempotent: a
 * repetition finds another cursor under the lock on the run, and changes nothing.
 */
async function applyNext(deps: Deps, run: ShownRun, compile: Compile): Promise<boolean> {
  const { database, clock } = deps
  const bankAccountId =
    run.placeBankAccountId || (await findNextAccount(database, run.accountId, ''))
  if (!bankAccountId) return complete(deps, run)
  const account = { accountId: run.accountId, bankAccountId }
  const timezone = (await findTimezone(database, account)) ?? run.timezone
  if (timezone === '') throw datesAreMoving()
  const { from, behind } = rangeOf({ from: run.fromDay, to: run.toDay, after: null }, timezone)
  const range = { from, to: behind.date, after: run.placeTransactionId, limit: pageSize }
  const rows = await listRunRows(database, account, range)
  const { rules, hash } = await compile(timezone)
  const { due, ...compared } = comparePage(rules, rows)
  const place = await placeAfter(deps, run, { bankAccountId, last: rows.at(pageSize - 1) })
  return database.transaction(async (tx) => {
    const locked = await lockRun(tx, run)
    if (!locked || !isAt(locked, run)) return locked?.status === 'running'
    // Renaming a tag locks the run, too, so it will also rename the former tag in rows saved here.
    if ((await hashRulesOf({ pool: tx }, run)) !== hash) return true
    const page =
      due.length === 0
        ? null
        : await applyIn(deps, tx, { run, account, rules, rows: due, timezone })
    const ids = { accountId: run.accountId, ruleRunId: run.ruleRunId, bankAccountId }
    await insertRunChanges(
      tx,
      (page?.changes ?? []).map((one) => ({ ...ids, ...one })),
    )
    const counts = page?.counts
    await updateRun(tx, run, {
      now: clock(),
      ...place,
      matchedCount: locked.matchedCount + compared.matchedCount,
      changedCount: locked.changedCount + (counts?.changedCount ?? 0n),
      leftAloneCount:
        locked.leftAloneCount + compared.leftAloneCount + (counts?.leftAloneCount ?? 0n),
    })
    return place.status !== 'complete'
  })
}

function isAt(locked: ShownRun, { status, placeBankAccountId, placeTransactionId }: ShownRun) {
  return (
    locked.status === status &&
    locked.placeBankAccountId === placeBankAccountId &&
    locked.placeTransactionId === placeTransactionId
  )
}

/** Returns the cursor after a page: a row, the next bank account, or the end of the run. */
async function placeAfter(
  { database, clock }: Deps,
  run: ShownRun,
  { bankAccountId, last }: { bankAccountId: string; last: { transactionId: string } | undefined },
): Promise<Partial<ShownRun>> {
  if (last) return { placeBankAccountId: bankAccountId, placeTransactionId: last.transactionId }
  const next =
    run.bankAccountId === null
      ? await findNextAccount(database, run.accountId, bankAccountId)
      : null
  return next === null
    ? { status: 'complete', completedAt: clock() }
    : { placeBankAccountId: next, placeTransactionId: '' }
}

interface Matched {
  run: ShownRun
  account: { accountId: string; bankAccountId: string }
  rules: CompiledRules
  rows: readonly Transaction[]
  timezone: string
}

/** Applies rules to rows; returns null if the bank account is being deleted. */
async function applyIn(
  { writeIn, isRenamed }: Deps,
  tx: Parameters<MoneyWriter['writeIn']>[0],
  { run, account, rules, rows, timezone }: Matched,
): Promise<AppliedPage | null> {
  const transactionIds = rows.map(({ transactionId }) => transactionId)
  const scope = {
    ...account,
    ...envelopesOf(rules, rows),
    transactionIds,
    readsRefundable: true,
  }
  const writing = writeIn(tx, account, async () => ({
    scope,
    operationId: run.ruleRunId,
    createdBy: run.createdBy,
    timezone,
    decide: (current) => {
      const page = applyPage(current, { rules, transactionIds, isRenamed })
      if (page.transactions.length === 0) return { reply: page }
      return { settlement: page.settlement, transactions: page.transactions, reply: page }
    },
  }))
  return writing.catch(unlessDeleted)
}

/** Undoes the last remaining page of a run, which is of one bank account; deletes its changes. */
function undoNext({ database, clock, writeIn }: Deps, key: RuleRunKey): Promise<boolean> {
  return database.transaction(async (tx) => {
    const run = await lockRun(tx, key)
    if (run?.status !== 'undoing') return false
    const [last] = await listRunChanges(tx, key, 1)
    if (!last) {
      const now = clock()
      await updateRun(tx, key, { status: 'undone', undoneAt: now, now })
      return false
    }
    const account = { accountId: key.accountId, bankAccountId: last.bankAccountId }
    // Read under the lock: the undo of an earlier run may replace the former values of changes.
    await lockMoney(tx, [account])
    const left = await listRunChanges(tx, key, pageSize)
    const isOfPage = ({ bankAccountId, version }: RunChange) =>
      bankAccountId === last.bankAccountId && version === last.version
    const changes = left.filter(isOfPage)
    const later = await listLaterChanges(tx, changes)
    const writing = writeIn(tx, account, async () => ({
      scope: { ...account, ...scopeOf(changes) },
      operationId: run.ruleRunId,
      createdBy: run.createdBy,
      decide: (current) => {
        const page = undoPage(current, { changes, later })
        const { settlement, transactions } = page
        return transactions.length === 0
          ? { reply: page }
          : { settlement, transactions, reply: page }
      },
    }))
    const undone = await writing.catch(unlessDeleted)
    await updateRunChanges(tx, undone?.replaced ?? [])
    await deleteRunChanges(tx, key, changes)
    await updateRun(tx, key, {
      now: clock(),
      undoneCount: run.undoneCount + (undone?.counts.undoneCount ?? 0n),
      keptCount: run.keptCount + (undone?.counts.keptCount ?? 0n),
    })
    return true
  })
}

function scopeOf(changes: readonly RunChange[]) {
  const former = changes
    .flatMap(({ fields }) => fields)
    .flatMap(({ field, before }) => (field === 'spendingId' && before ? String(before) : []))
  const spendingIds = [...new Set(former)]
  const transactionIds = changes.map(({ transactionId }) => transactionId)
  return { transactionIds, spendingIds, refundIds: spendingIds, readsRefundable: true }
}

function unlessDeleted(error: unknown): null {
  if (ConnectError.from(error).code !== Code.NotFound) throw error
  return null
}

async function complete({ database, clock }: Deps, run: ShownRun): Promise<boolean> {
  await database.transaction(async (tx) => {
    const locked = await lockRun(tx, run)
    if (!locked || !isAt(locked, run)) return
    const now = clock()
    await updateRun(tx, run, { status: 'complete', completedAt: now, now })
  })
  return false
}

async function fail({ database, clock }: Deps, key: RuleRunKey, error: string): Promise<void> {
  await database.transaction(async (tx) => {
    const run = await lockRun(tx, key)
    const isEnded = !run || !(['running', 'undoing'] as RuleRun['status'][]).includes(run.status)
    const now = clock()
    if (!isEnded) await updateRun(tx, key, { status: 'failed', error, completedAt: now, now })
  })
}
