import { lockBound } from '@coffer/kit/database/account-bound.sql'
import { notFound } from '@coffer/kit/rpc/errors'
import { toMessage } from '@coffer/kit/rpc/message'
import { callerOf } from '@coffer/kit/rpc/rpc'
import type { ServiceDeps } from '@coffer/kit/service/service'
import {
  type AcceptRuleSuggestionRequest,
  RuleSuggestionSchema,
  type RuleSuggestionService,
  SuggestedTransactionSchema,
} from '@coffer/proto/ledger/v1/rule_suggestion'
import type { HandlerContext, ServiceImpl } from '@connectrpc/connect'
import { inTurn } from '../rules/comparison-turns.service.ts'
import type { Rule } from '../rules/rule.sql.ts'
import { compileRules, matchRules } from '../rules/rule.ts'
import { placeRule, renderRule, requireRule, ruleBound } from '../rules/rule-creation.service.ts'
import type { IsRenamed } from '../transactions/provenance.ts'
import { findTransaction } from '../transactions/transaction.sql.ts'
import { findSuggestions } from './rule-suggestion.service.ts'
import { findAccepted, listDismissed, saveAnswer } from './rule-suggestion.sql.ts'
import type { RuleSuggestion } from './rule-suggestion.ts'

type Deps = Pick<ServiceDeps, 'database' | 'clock'> & { isRenamed: IsRenamed }

/** Bounds of the answers (docs/limits.md). */
const listedMax = 50
const shownMax = 20
const answersMax = 2000

function suggestionsOf(deps: Deps, context: HandlerContext) {
  return inTurn(context.signal, (pause) => findSuggestions(deps, callerOf(context), pause))
}

/** Returns the RPC handlers of suggested rules (docs/rules/suggestions.md). */
export function ruleSuggestionRoutes(deps: Deps): ServiceImpl<typeof RuleSuggestionService> {
  const { database, clock } = deps
  return {
    listRuleSuggestions: async (_request, context) => {
      const found = await suggestionsOf(deps, context)
      const { suggestions, examinedCount, isComplete } = found
      const listed = suggestions.slice(0, listedMax).map(render)
      return { suggestions: listed, examinedCount, isComplete }
    },
    getRuleSuggestion: async ({ bankAccountId, transactionId }, context) => {
      const caller = callerOf(context)
      const { accountId, timezone } = caller
      const ids = { bankAccountId, transactionId }
      const transaction = await findTransaction(database, accountId, ids)
      if (!transaction) throw notFound('transaction')
      if (transaction.source === 'manual') return {}
      const { suggestions } = await suggestionsOf(deps, context)
      const suggestion = suggestions.find((one) => {
        const rules = compileRules([{ ...one, ruleId: one.ruleSuggestionId }], timezone)
        return matchRules(rules, transaction).length > 0
      })
      return suggestion ? { suggestion: render(suggestion) } : {}
    },
    acceptRuleSuggestion: async (request, context) => {
      return { rule: renderRule(await accept(deps, request, context)) }
    },
    dismissRuleSuggestion: async ({ ruleSuggestionId }, context) => {
      const { accountId, userId: answeredBy } = callerOf(context)
      const key = { accountId, ruleSuggestionId }
      if ((await listDismissed(database, accountId)).has(ruleSuggestionId)) return {}
      // `all` includes dismissed suggestions: another request may have dismissed it meanwhile.
      const { all } = await suggestionsOf(deps, context)
      if (!hasId(all, ruleSuggestionId)) throw notFound('rule suggestion')
      await database.transaction(async (tx) => {
        await lockBound(tx, ruleBound(accountId))
        if (await findAccepted(tx, key)) return
        const answer = { ...key, ruleId: null, answeredAt: clock(), answeredBy }
        await saveAnswer(tx, answer, answersMax)
      })
      return {}
    },
  }
}

/** Creates the rule of a suggestion. Idempotent: a repetition returns the same rule. */
async function accept(
  deps: Deps,
  { ruleSuggestionId, name, actions }: AcceptRuleSuggestionRequest,
  context: HandlerContext,
): Promise<Rule> {
  const { database, clock } = deps
  const { accountId, userId: createdBy } = callerOf(context)
  const key = { accountId, ruleSuggestionId }
  const accepted = await findAccepted(database.pool, key)
  if (accepted) return accepted
  const { suggestions } = await suggestionsOf(deps, context)
  const suggestion = suggestions.find((one) => one.ruleSuggestionId === ruleSuggestionId)
  if (!suggestion) {
    // Another request may have created the rule meanwhile, which removed the suggestion.
    const created = await findAccepted(database.pool, key)
    if (created) return created
    throw notFound('rule suggestion')
  }
  const rule = {
    name: name ?? suggestion.name,
    conditions: suggestion.conditions,
    actions: actions ?? suggestion.actions,
    accountId,
    createdBy,
  }
  await requireRule(deps, accountId, rule)
  return database.transaction(async (tx) => {
    await lockBound(tx, ruleBound(accountId))
    // Checked again under the lock: another request may have accepted the suggestion meanwhile.
    const known = await findAccepted(tx, key)
    if (known) return known
    const now = clock()
    const created = await placeRule(tx, rule, now)
    const answer = { ...key, ruleId: created.ruleId, answeredAt: now, answeredBy: createdBy }
    await saveAnswer(tx, answer, answersMax)
    return created
  })
}

function hasId(all: readonly RuleSuggestion[], ruleSuggestionId: string): boolean {
  return all.some((one) => one.ruleSuggestionId === ruleSuggestionId)
}

function render({ untouched, otherIds: _, ...suggestion }: RuleSuggestion) {
  const shown = untouched.slice(0, shownMax).map(({ transactionId, bankAccountId }) => {
    return toMessage(SuggestedTransactionSchema, { transactionId, bankAccountId })
  })
  return toMessage(RuleSuggestionSchema, { ...suggestion, untouched: shown })
}
