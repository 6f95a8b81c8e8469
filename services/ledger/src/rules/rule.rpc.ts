import { create } from '@bufbuild/protobuf'
import { lockBound } from '@coffer/kit/database/account-bound.sql'
import type { Transaction as Tx } from '@coffer/kit/database/database'
import { say } from '@coffer/kit/reasons/reasons'
import { invalid, notFound } from '@coffer/kit/rpc/errors'
import { toMessage } from '@coffer/kit/rpc/message'
import { requireMatch } from '@coffer/kit/rpc/object-tag'
import { callerOf } from '@coffer/kit/rpc/rpc'
import type { ServiceDeps } from '@coffer/kit/service/service'
import {
  PreviewedFieldSchema,
  PreviewedTransactionSchema,
  type PreviewRuleRequest,
  RuleSchema,
  type RuleService,
} from '@coffer/proto/ledger/v1/rule'
import type { HandlerContext, ServiceImpl } from '@connectrpc/connect'
import type { IsRenamed } from '../transactions/provenance.ts'
import { inTurn } from './comparison-turns.service.ts'
import { readParts } from './rule.service.ts'
import {
  deleteRule,
  findRule,
  listRules,
  lockRule,
  lockRules,
  orderRules,
  type Rule,
  saveRule,
} from './rule.sql.ts'
import { rulesMax } from './rule.ts'
import {
  createRule,
  renderRule,
  requireRule,
  ruleBound,
  storedParts,
} from './rule-creation.service.ts'
import { type Draft, listCompared, previewRule } from './rule-preview.service.ts'
import { readScope } from './rule-scope.service.ts'

type Deps = Pick<ServiceDeps, 'database' | 'clock'> & { isRenamed: IsRenamed }

/** Returns the RPC handlers of rules (docs/rules/rules.md). */
export function ruleRoutes(deps: Deps): ServiceImpl<typeof RuleService> {
  const { database, clock } = deps
  return {
    previewRule: (request, context) => preview(deps, request, context),
    listRules: async (_request, context) => {
      const { accountId } = callerOf(context)
      return { rules: (await listRules(database, accountId)).map(renderRule) }
    },
    getRule: async ({ ruleId }, context) => {
      const { accountId } = callerOf(context)
      return { rule: renderRule(found(await findRule(database, { accountId, ruleId }))) }
    },
    createRule: async ({ name, conditions, actions }, context) => {
      const { accountId, userId: createdBy } = callerOf(context)
      const by = { accountId, createdBy }
      const rule = await createRule({ database, clock }, { name, conditions, actions, ...by })
      return { rule: renderRule(rule) }
    },
    updateRule: async ({ ruleId, name, conditions, actions }, context) => {
      const parts = { ...(conditions && { conditions }), ...(actions && { actions }) }
      const named = name === undefined ? {} : { name }
      const rule = await database.transaction(async (tx) => {
        const before = await lockAsRead(tx, ruleId, context)
        if (name === undefined && !conditions && !actions) return before
        await requireRule({ database: { pool: tx } }, before.accountId, parts, readParts(before))
        const after = { ...before, ...named, ...storedParts(parts), updatedAt: clock() }
        await saveRule(tx, after)
        return after
      })
      return { rule: renderRule(rule) }
    },
    deleteRule: async ({ ruleId }, context) => {
      await database.transaction(async (tx) => {
        await deleteRule(tx, await lockAsRead(tx, ruleId, context), clock())
      })
      return {}
    },
    orderRules: async ({ ruleIds }, context) => {
      const { accountId } = callerOf(context)
      if (new Set(ruleIds).size < ruleIds.length) {
        throw invalid({ ruleIds: say('IDS_REPEATED') })
      }
      const rules = await database.transaction(async (tx) => {
        await lockBound(tx, ruleBound(accountId))
        const known = new Set(await lockRules(tx, accountId))
        if (ruleIds.some((id) => !known.has(id))) throw notFound('rule')
        if (ruleIds.length !== known.size) {
          throw invalid({ ruleIds: say('RULES_INCOMPLETE') })
        }
        await orderRules(tx, accountId, { ruleIds, now: clock() })
        return listRules({ pool: tx }, accountId)
      })
      return { rules: rules.map(renderRule) }
    },
  }
}

/** Locks and returns a rule. Throws refused (412) unless it is as `If-Match` requires. */
async function lockAsRead(tx: Tx, ruleId: string, context: HandlerContext): Promise<Rule> {
  const rule = found(await lockRule(tx, { accountId: callerOf(context).accountId, ruleId }))
  requireMatch(context, RuleSchema, renderRule(rule))
  return rule
}

function found(rule: Rule | null): Rule {
  if (!rule) throw notFound('rule')
  return rule
}

async function preview(deps: Deps, request: PreviewRuleRequest, context: HandlerContext) {
  const caller = callerOf(context)
  const draft = readDraft(request)
  const stored = await listCompared(deps.database, caller.accountId, draft)
  if (draft) {
    const changed = stored.find(({ ruleId }) => ruleId === draft.ruleId)
    await requireRule(deps, caller.accountId, draft, changed ? readParts(changed) : {})
  }
  const scope = await readScope(deps.database, caller, request)
  const { shown, ...counts } = await inTurn(context.signal, (pause) =>
    previewRule(deps, caller, { draft, stored, scope, pause }),
  )
  const transactions = shown.map(({ transaction: { transactionId, bankAccountId }, fields }) => {
    const rendered = fields.map((one) => toMessage(PreviewedFieldSchema, one))
    return create(PreviewedTransactionSchema, { transactionId, bankAccountId, fields: rendered })
  })
  return { ...counts, transactions }
}

function readDraft({ conditions, actions, ...stated }: PreviewRuleRequest): Draft | null {
  const { position = null, ruleId = null } = stated
  if (conditions && actions) {
    if (position !== null && (position < 1 || position > rulesMax)) {
      throw invalid({ position: say('RANGE', { min: 1, max: rulesMax }) })
    }
    return { conditions, actions, position, ruleId }
  }
  if (conditions || actions || position !== null || ruleId !== null) {
    throw invalid({ conditions: say('RUN_CONDITIONS') })
  }
  return null
}
