import { values } from '@coffer/proto/values'
import { z } from 'zod'
import { markedFields } from '../book/field-marks.ts'

const Value = z.union([z.string(), z.array(z.string())]).nullable()

/**
 * A field that a run has changed: its value and mark before, and the rule's value since. Of an
 * envelope `gaveBefore` has the transaction's amount, and the minor units that the envelope before
 * had given for it, or got of a refund. Of a refund `kept` is the part that this envelope had spent
 * meanwhile and did not give back, and `refundable` what transactions had taken from it then.
 */
export const RunField = z.object({
  field: z.enum(markedFields),
  before: Value,
  markBefore: z.object({ ruleId: z.string().nullable(), value: Value }).nullable(),
  gaveBefore: z
    .object({
      amount: z.string(),
      given: z.string(),
      kept: z.string().optional(),
      refundable: z.string().optional(),
    })
    .optional(),
  ruleId: z.string(),
  value: Value,
})
export type RunField = z.infer<typeof RunField>

/**
 * The fields of one transaction that a run has changed; an undo deletes it. `version` is that of
 * the bank account after the page of the run.
 */
export const RunChange = z.object({
  accountId: z.string(),
  ruleRunId: z.string(),
  bankAccountId: z.string(),
  transactionId: z.string(),
  version: z.bigint(),
  fields: z.array(RunField),
})
export type RunChange = z.infer<typeof RunChange>

/** A rule as it was when a run was created; the parts are the JSON of their messages. */
const KeptRule = z.object({ ruleId: z.string(), conditions: z.json(), actions: z.json() })
type KeptRule = z.infer<typeof KeptRule>

/**
 * A chosen rule, with those that were not chosen: all between the chosen one before and it, and, of
 * the last one, those after it. Without these keys, a run knows its chosen rules alone.
 */
const RunRule = KeptRule.extend({
  before: z.array(KeptRule).optional(),
  after: z.array(KeptRule).optional(),
})
export type RunRule = z.infer<typeof RunRule>

/** Returns the chosen ones of an account's rules, each with those that are not, in their order. */
export function keepRules(all: readonly KeptRule[], isChosen: (ruleId: string) => boolean) {
  const kept: RunRule[] = []
  let others: KeptRule[] = []
  for (const { ruleId, conditions, actions } of all) {
    const rule = { ruleId, conditions, actions }
    if (isChosen(ruleId)) kept.push({ ...rule, ...(others.length > 0 && { before: others }) })
    else others.push(rule)
    if (isChosen(ruleId)) others = []
  }
  const last = kept.at(-1)
  if (last && others.length > 0) last.after = others
  return kept
}

/** Returns the rules of a run with other actions, also of those that are not chosen. */
export function changeKept(
  rules: readonly RunRule[],
  change: (actions: KeptRule['actions']) => KeptRule['actions'],
): RunRule[] {
  const changed = <Rule extends KeptRule>(rule: Rule) => ({
    ...rule,
    actions: change(rule.actions),
  })
  return rules.map(({ before, after, ...rule }) => ({
    ...changed(rule),
    ...(before && { before: before.map(changed) }),
    ...(after && { after: after.map(changed) }),
  }))
}

/** Returns the rules of a run in the order of the account, and which of them are chosen. */
export function listKept(rules: readonly RunRule[]): (KeptRule & { isChosen: boolean })[] {
  const others = (some: KeptRule[] = []) => some.map((one) => ({ ...one, isChosen: false }))
  return rules.flatMap(({ before, after, ...rule }) => [
    ...others(before),
    { ...rule, isChosen: true },
    ...others(after),
  ])
}

export type RuleRunKey = { accountId: string; ruleRunId: string }

/**
 * A run of rules over stored transactions (docs/rules/runs.md). The place is the last transaction
 * that it has compared; `rules` is null once it has ended.
 */
export const RuleRun = z.object({
  accountId: z.string(),
  ruleRunId: z.string(),
  status: z.enum(values['RuleRun.status']),
  error: z.string().nullable(),
  bankAccountId: z.string().nullable(),
  fromDay: z.string().nullable(),
  toDay: z.string().nullable(),
  timezone: z.string(),
  ruleIds: z.array(z.string()),
  rules: z.array(RunRule).nullable(),
  placeBankAccountId: z.string(),
  placeTransactionId: z.string(),
  matchedCount: z.bigint(),
  changedCount: z.bigint(),
  leftAloneCount: z.bigint(),
  undoneCount: z.bigint(),
  keptCount: z.bigint(),
  createdAt: z.date(),
  createdBy: z.string().nullable(),
  completedAt: z.date().nullable(),
  undoneAt: z.date().nullable(),
})
export type RuleRun = z.infer<typeof RuleRun>

/** Returns a run that has compared nothing yet. */
export function newRun(
  key: RuleRunKey,
  of: Pick<
    RuleRun,
    'bankAccountId' | 'fromDay' | 'toDay' | 'timezone' | 'rules' | 'createdAt' | 'createdBy'
  >,
): RuleRun {
  return {
    ...key,
    ...of,
    status: 'running',
    error: null,
    ruleIds: (of.rules ?? []).map(({ ruleId }) => ruleId),
    placeBankAccountId: of.bankAccountId ?? '',
    placeTransactionId: '',
    matchedCount: 0n,
    changedCount: 0n,
    leftAloneCount: 0n,
    undoneCount: 0n,
    keptCount: 0n,
    completedAt: null,
    undoneAt: null,
  }
}
