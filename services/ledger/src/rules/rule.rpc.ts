import { create, type JsonValue, toJson } from '@bufbuild/protobuf'
import { lockBound, requireWithin } from '@coffer/kit/database/account-bound.sql'
import { invalid, notFound } from '@coffer/kit/rpc/errors'
import { toMessage } from '@coffer/kit/rpc/message'
import { callerOf } from '@coffer/kit/rpc/rpc'
import type { ServiceDeps } from '@coffer/kit/service/service'
import { foldText } from '@coffer/kit/values/fold'
import { newId } from '@coffer/kit/values/id'
import {
  PreviewedFieldSchema,
  PreviewedTransactionSchema,
  type PreviewRuleRequest,
  type RuleActions,
  RuleActionsSchema,
  type RuleConditions,
  RuleConditionsSchema,
  RuleSchema,
  type RuleService,
} from '@coffer/proto/ledger/v1/rule'
import type { ServiceImpl } from '@connectrpc/connect'
import { sql } from 'slonik'
import type { IsRenamed } from '../transactions/provenance.ts'
import { findOwner } from '../transactions/transaction.sql.ts'
import { readParts } from './rule.service.ts'
import {
  deleteRule,
  findNamedAccount,
  insertRule,
  listRules,
  lockRules,
  orderRules,
  type Rule,
  updateRule,
} from './rule.sql.ts'
import { rulesMax } from './rule.ts'
import { type Draft, previewRule } from './rule-preview.service.ts'

type Deps = Pick<ServiceDeps, 'database' | 'clock'> & { isRenamed: IsRenamed }

/** Returns the RPC handlers of rules (docs/rules/rules.md). */
export function ruleRoutes(deps: Deps): ServiceImpl<typeof RuleService> {
  const { database, clock } = deps
  return {
    previewRule: (request, context) => preview(deps, request, callerOf(context)),
    listRules: async (_request, context) => {
      const { accountId } = callerOf(context)
      return { rules: (await listRules(database, accountId)).map(renderRule) }
    },
    createRule: async ({ name, conditions, actions }, context) => {
      const { accountId, userId: createdBy } = callerOf(context)
      await requireRule({ database }, accountId, { conditions, actions })
      const now = clock()
      const made = {
        accountId,
        ruleId: newId('rule'),
        name,
        ...storedParts({ conditions, actions }),
        createdAt: now,
        createdBy,
        updatedAt: now,
      }
      const rule = await database.transaction(async (tx) => {
        await lockBound(tx, ruleBound(accountId))
        const placed = await insertRule(tx, { conditions: {}, actions: {}, ...made })
        await requireWithin(tx, ruleBound(accountId))
        return placed
      })
      return { rule: renderRule(rule) }
    },
    updateRule: async ({ ruleId, name, conditions, actions }, context) => {
      const { accountId } = callerOf(context)
      const parts = { ...(conditions && { conditions }), ...(actions && { actions }) }
      const known = await listRules(database, accountId)
      if (!known.some((one) => one.ruleId === ruleId)) throw notFound('rule')
      await requireRule({ database }, accountId, parts)
      const named = name === undefined ? {} : { name }
      const changed = { ...named, ...storedParts(parts), updatedAt: clock() }
      const rule = await updateRule(database, { accountId, ruleId, ...changed })
      if (!rule) throw notFound('rule')
      return { rule: renderRule(rule) }
    },
    deleteRule: async ({ ruleId }, context) => {
      const { accountId } = callerOf(context)
      if (!(await deleteRule(database, accountId, ruleId))) throw notFound('rule')
      return {}
    },
    orderRules: async ({ ruleIds }, context) => {
      const { accountId } = callerOf(context)
      const rules = await database.transaction(async (tx) => {
        await lockBound(tx, ruleBound(accountId))
        const known = new Set(await lockRules(tx, accountId))
        if (ruleIds.some((id) => !known.has(id))) throw notFound('rule')
        if (ruleIds.length !== known.size || new Set(ruleIds).size !== known.size) {
          throw invalid({ ruleIds: 'must have every rule of the account once: see the list' })
        }
        await orderRules(tx, accountId, ruleIds)
        return listRules({ pool: tx }, accountId)
      })
      return { rules: rules.map(renderRule) }
    },
  }
}

async function preview(
  deps: Deps,
  request: PreviewRuleRequest,
  caller: { accountId: string; timezone: string },
) {
  const draft = readDraft(request)
  if (draft) await requireRule(deps, caller.accountId, draft)
  const { shown, ...counts } = await previewRule(deps, caller, draft)
  const transactions = shown.map(({ transaction: { transactionId, bankAccountId }, fields }) => {
    const rendered = fields.map((one) => toMessage(PreviewedFieldSchema, one))
    return create(PreviewedTransactionSchema, { transactionId, bankAccountId, fields: rendered })
  })
  return { ...counts, transactions }
}

/** Returns the rule that a preview states; null if it states none. */
function readDraft({ conditions, actions, position: stated }: PreviewRuleRequest): Draft | null {
  const position = stated ?? null
  if (conditions && actions) {
    if (position !== null && (position < 1 || position > rulesMax)) {
      throw invalid({ position: `must be 1 to ${rulesMax}` })
    }
    return { conditions, actions, position }
  }
  if (conditions || actions || position !== null) {
    throw invalid({ conditions: 'are required, with actions; or send none, for all rules' })
  }
  return null
}

function ruleBound(accountId: string) {
  return {
    scope: `rules ${accountId}`,
    rows: sql.fragment`SELECT FROM rules WHERE account_id = ${accountId}`,
    max: rulesMax,
    refusal: `an account has at most ${rulesMax} rules: delete one first`,
  }
}

interface Parts {
  conditions?: RuleConditions | undefined
  actions?: RuleActions | undefined
}

/** Throws `invalid` for a rule without conditions or actions, `notFound` for unknown IDs. */
async function requireRule(
  { database }: Pick<Deps, 'database'>,
  accountId: string,
  { conditions, actions }: Parts,
): Promise<void> {
  if (conditions) {
    requireSome({ conditions: toJson(RuleConditionsSchema, conditions) })
    requireText({ originalName: conditions.originalName?.text })
    requireText({ originalMerchantName: conditions.originalMerchantName?.text })
    const { bankAccountId, amountFrom = 0n, amountTo = amountFrom } = conditions
    if (amountTo < amountFrom) {
      throw invalid({ conditions: { amountTo: 'must not be below amountFrom' } })
    }
    if (bankAccountId && !(await findNamedAccount(database, accountId, bankAccountId))) {
      throw notFound('bank account')
    }
  }
  if (!actions) return
  requireSome({ actions: toJson(RuleActionsSchema, actions) })
  const { spendingId, refundSpendingId } = actions
  for (const id of [spendingId, refundSpendingId]) {
    if (id && !(await findOwner(database, accountId, id))) throw notFound('spending')
  }
}

function requireSome(parts: Record<string, JsonValue>): void {
  for (const [key, part] of Object.entries(parts)) {
    if (Object.keys(part ?? {}).length === 0) throw invalid({ [key]: 'must have at least one key' })
  }
}

/** Throws `invalid` for a text of combining marks alone: its fold is blank, and in every text. */
function requireText(texts: Record<string, string | undefined>): void {
  for (const [key, text] of Object.entries(texts)) {
    if (text === undefined || foldText(text).trim() !== '') continue
    throw invalid({ conditions: { [key]: { text: 'must have a letter, digit or sign' } } })
  }
}

function storedParts({
  conditions,
  actions,
}: Parts): Partial<Pick<Rule, 'conditions' | 'actions'>> {
  return {
    ...(conditions ? { conditions: toJson(RuleConditionsSchema, conditions) } : {}),
    ...(actions ? { actions: toJson(RuleActionsSchema, actions) } : {}),
  }
}

function renderRule(rule: Rule) {
  const { conditions, actions } = readParts(rule)
  return toMessage(RuleSchema, { ...rule, conditions, actions })
}
