import { create } from '@bufbuild/protobuf'
import { requireWithin } from '@coffer/kit/database/account-bound.sql'
import { keepReply, once } from '@coffer/kit/database/idempotency'
import { changeOf, insertChanges } from '@coffer/kit/events/changes'
import { say } from '@coffer/kit/reasons/reasons'
import { invalid, notFound } from '@coffer/kit/rpc/errors'
import { toMessage } from '@coffer/kit/rpc/message'
import { callerOf } from '@coffer/kit/rpc/rpc'
import type { ServiceDeps } from '@coffer/kit/service/service'
import { newId } from '@coffer/kit/values/id'
import { RuleRunRequestedSchema } from '@coffer/proto/ledger/v1/events'
import {
  type CreateRuleRunRequest,
  CreateRuleRunResponseSchema,
  RuleRunSchema,
  type RuleRunService,
} from '@coffer/proto/ledger/v1/rule_run'
import type { HandlerContext, ServiceImpl } from '@connectrpc/connect'
import { sql } from 'slonik'
import { listRules, lockTagging } from './rule.sql.ts'
import { rulesMax } from './rule.ts'
import { findRun, insertRun, listRuns, lockRun, type ShownRun, updateRun } from './rule-run.sql.ts'
import { keepRules, newRun, type RuleRunKey } from './rule-run.ts'
import { readScope } from './rule-scope.service.ts'

type Deps = Pick<ServiceDeps, 'database' | 'clock'>

/** Maximum number of unfinished runs of an account (docs/limits.md). */
const unfinishedMax = 20

/** Returns the RPC handlers of runs of rules (docs/rules/runs.md). */
export function ruleRunRoutes(deps: Deps): ServiceImpl<typeof RuleRunService> {
  const { database } = deps
  return {
    createRuleRun: (request, context) => createRun(deps, request, context),
    listRuleRuns: async ({ before = null, limit }, context) => {
      const { accountId } = callerOf(context)
      // Reads one row more than the limit: if it exists, there is a next page.
      const rows = await listRuns(database, accountId, { before, limit: limit + 1 })
      return { runs: rows.slice(0, limit).map(renderRun), hasMore: rows.length > limit }
    },
    getRuleRun: async ({ ruleRunId }, context) => {
      const { accountId } = callerOf(context)
      const run = await findRun(database, { accountId, ruleRunId })
      if (!run) throw notFound('rule run')
      return { run: renderRun(run) }
    },
    undoRuleRun: async ({ ruleRunId }, context) => {
      const { accountId } = callerOf(context)
      return { run: renderRun(await startUndo(deps, { accountId, ruleRunId })) }
    },
  }
}

function createRun(
  { database, clock }: Deps,
  request: CreateRuleRunRequest,
  context: HandlerContext,
) {
  const reply = CreateRuleRunResponseSchema
  return once({ database, context, reply }, async (key) => {
    const { accountId, userId: createdBy, timezone } = callerOf(context)
    const scope = await readScope(database, { accountId, timezone }, request)
    const ids = { accountId, ruleRunId: newId('rrun') }
    return database.transaction(async (tx) => {
      // Serialized with renaming tags: it changes either the rules before this read, or this run.
      await lockTagging(tx, accountId)
      const rules = await chosenRules({ pool: tx }, accountId, request.ruleIds)
      const stated = { ...scope, timezone, rules }
      const run = newRun(ids, { ...stated, createdAt: clock(), createdBy })
      const made = create(reply, { run: renderRun(run) })
      await insertRun(tx, run)
      await tx.query(sql.unsafe`${insertChanges([requested(ids, { isUndo: false })])}`)
      await requireWithin(tx, unfinishedBound(accountId))
      await keepReply(tx, key, made)
      return made
    })
  })
}

/** Returns the rules that a run stores, in order. Throws `notFound` for an unknown rule. */
async function chosenRules(
  database: Parameters<typeof listRules>[0],
  accountId: string,
  ruleIds: readonly string[],
) {
  if (ruleIds.length > rulesMax)
    throw invalid({ ruleIds: say('ITEM_COUNT', { min: 1, max: rulesMax }) })
  if (new Set(ruleIds).size < ruleIds.length) throw invalid({ ruleIds: say('IDS_REPEATED') })
  const all = await listRules(database, accountId)
  const known = new Set(all.map(({ ruleId }) => ruleId))
  if (ruleIds.some((id) => !known.has(id))) throw notFound('rule')
  if (all.length === 0) throw invalid({ ruleIds: say('RULES_MISSING') })
  return keepRules(all, (ruleId) => ruleIds.length === 0 || ruleIds.includes(ruleId))
}

/** Starts the undo of a run: status `undoing` and an event. A repetition changes nothing. */
function startUndo({ database, clock }: Deps, key: RuleRunKey): Promise<ShownRun> {
  return database.transaction(async (tx) => {
    const run = await lockRun(tx, key)
    if (!run) throw notFound('rule run')
    if (run.status === 'undoing' || run.status === 'undone') return run
    const undoing = { status: 'undoing', error: null } as const
    await updateRun(tx, key, { ...undoing, now: clock() })
    await tx.query(sql.unsafe`${insertChanges([requested(key, { isUndo: true })])}`)
    return { ...run, ...undoing }
  })
}

function requested(key: RuleRunKey, { isUndo }: { isUndo: boolean }) {
  const { accountId, ruleRunId: entityId } = key
  const subject = { accountId, entityId, version: isUndo ? 2n : 1n }
  const event = toMessage(RuleRunRequestedSchema, { ...key, isUndo })
  return changeOf(RuleRunRequestedSchema, subject, event)
}

function unfinishedBound(accountId: string) {
  return {
    scope: `rule runs ${accountId}`,
    rows: sql.fragment`SELECT FROM rule_runs
      WHERE account_id = ${accountId} AND status IN ('running', 'undoing')`,
    max: unfinishedMax,
    refusal: say('RUNS_MAX', { max: unfinishedMax }),
  }
}

function renderRun({ fromDay, toDay, ...run }: ShownRun) {
  return toMessage(RuleRunSchema, { ...run, from: fromDay, to: toDay })
}
