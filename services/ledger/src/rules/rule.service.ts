import { isDeepStrictEqual } from 'node:util'
import { fromJson, toJson } from '@bufbuild/protobuf'
import type { Database } from '@coffer/kit/database/database'
import type { ServiceDeps } from '@coffer/kit/service/service'
import { RuleActionsSchema, RuleConditionsSchema } from '@coffer/proto/ledger/v1/rule'
import { type MarkedField, markEdits } from '../book/field-marks.ts'
import { renameTags, type TagRenaming } from '../book/tags.ts'
import { emptyTransaction } from '../book/transaction.ts'
import type { RenameInRules } from '../transactions/tag.rpc.ts'
import {
  type FillByRules,
  type NewTransaction,
  storedFields,
} from '../transactions/transaction-creation.ts'
import { listOwners, listRules, lockTagging, type Rule, saveRule } from './rule.sql.ts'
import { type CompiledRules, compileRules } from './rule.ts'
import { tidyTransaction } from './rule-effects.ts'
import { lockRunRules, setRunRules } from './rule-run.sql.ts'
import { changeKept } from './rule-run.ts'

/** Returns conditions and actions of a stored rule; ignores fields of later versions. */
export function readParts({ conditions, actions }: Pick<Rule, 'conditions' | 'actions'>) {
  const options = { ignoreUnknownFields: true }
  return {
    conditions: fromJson(RuleConditionsSchema, conditions, options),
    actions: fromJson(RuleActionsSchema, actions, options),
  }
}

/** Reads and compiles the rules of an account, to apply them to new transactions. */
export async function loadRules(
  database: Database,
  accountId: string,
  timezone: string,
): Promise<CompiledRules> {
  const stored = await listRules(database, accountId)
  return compileRules(
    stored.map((rule) => ({ ruleId: rule.ruleId, ...readParts(rule) })),
    timezone,
  )
}

/**
 * Returns a function that applies rules to new manual transactions. Fields stated in the request
 * count as set by the user, so rules keep them. Envelopes that are closed, or of another bank
 * account, are ignored.
 */
export function createRuleFilling({
  database,
  clock,
}: Pick<ServiceDeps, 'database' | 'clock'>): FillByRules {
  return async (key, bodies) => {
    if (!bodies.some(({ appliesRules }) => appliesRules)) return [...bodies]
    const { accountId, bankAccountId, timezone } = key
    const rules = await loadRules(database, accountId, timezone)
    const tidied = bodies.map((body) => ({
      body,
      tidy: body.appliesRules ? tidyTransaction(rules, statedBy(key, body, clock()), true) : null,
    }))
    const named = [...new Set(tidied.flatMap(({ tidy }) => tidy?.envelope?.spendingId ?? []))]
    const owners = await listOwners(database, accountId, named)
    return tidied.map(({ body, tidy }) => {
      if (tidy === null) return body
      const { transaction, envelope } = tidy
      const { merchantName, notes, tags, fieldMarks } = transaction
      const texts = { ...body, merchantName, notes, tags, fieldMarks }
      if (envelope === null) return texts
      const { spendingId, ruleId } = envelope
      if (owners.get(spendingId) !== bankAccountId) return texts
      const assigned = body.amount < 0n ? { refundSpendingId: spendingId } : { spendingId }
      const marks = { ...fieldMarks, spendingId: { ruleId, value: spendingId } }
      return { ...texts, ...assigned, fieldMarks: marks }
    })
  }
}

/**
 * Returns a function that renames tags in the actions of all rules, and of the rules stored in
 * running runs. Idempotent.
 */
export function createRuleRenaming({
  database,
  clock,
}: Pick<ServiceDeps, 'database' | 'clock'>): RenameInRules {
  return (accountId, change) =>
    database.transaction(async (tx) => {
      for (const rule of await lockTagging(tx, accountId)) {
        const actions = renameIn(rule.actions, change)
        if (actions !== rule.actions) await saveRule(tx, { ...rule, actions, updatedAt: clock() })
      }
      for (const { ruleRunId, rules } of await lockRunRules(tx, accountId)) {
        const renamed = changeKept(rules ?? [], (actions) => renameIn(actions, change))
        if (isDeepStrictEqual(renamed, rules)) continue
        await setRunRules(tx, { accountId, ruleRunId, rules: renamed })
      }
    })
}

/** Renames tags in stored actions; returns the same object if nothing changes. */
function renameIn(stored: Rule['actions'], change: TagRenaming): Rule['actions'] {
  const actions = fromJson(RuleActionsSchema, stored, { ignoreUnknownFields: true })
  const tags = renameTags(actions.tags, change) ?? []
  if (isDeepStrictEqual(tags, actions.tags)) return stored
  return toJson(RuleActionsSchema, { ...actions, tags })
}

/** Returns the transaction of a request, to compare it with the conditions of rules. */
function statedBy(
  key: { accountId: string; bankAccountId: string },
  body: NewTransaction,
  createdAt: Date,
) {
  const { transactionId, amount, date, name } = body
  const created = { transactionId, amount, date, source: 'manual', createdAt } as const
  const spendingId = body.spendingId || body.refundSpendingId || null
  const stated = { ...storedFields(body), originalName: name, spendingId }
  // Marks fields that the request states: an empty value alone would not count as set by the user.
  const { merchantName, notes, tags, hasNoTags = false } = body
  const fields: MarkedField[] = [
    ...(merchantName === undefined ? [] : (['merchantName'] as const)),
    ...(notes === undefined ? [] : (['notes'] as const)),
    ...(hasNoTags || (tags ?? []).length > 0 ? (['tags'] as const) : []),
  ]
  const fieldMarks = markEdits(null, fields)
  return { ...emptyTransaction(key, created), ...stated, fieldMarks }
}
