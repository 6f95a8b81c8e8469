import { fromJson } from '@bufbuild/protobuf'
import type { Database } from '@coffer/kit/database/database'
import { RuleActionsSchema, RuleConditionsSchema } from '@coffer/proto/ledger/v1/rule'
import { listRules, type Rule } from './rule.sql.ts'
import { type CompiledRules, compileRules } from './rule.ts'

/** Returns conditions and actions of a stored rule; ignores fields of later versions. */
export function readParts({ conditions, actions }: Pick<Rule, 'conditions' | 'actions'>) {
  const options = { ignoreUnknownFields: true }
  return {
    conditions: fromJson(RuleConditionsSchema, conditions, options),
    actions: fromJson(RuleActionsSchema, actions, options),
  }
}

/** Reads the rules of an account for rows that are about to be stored. */
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
