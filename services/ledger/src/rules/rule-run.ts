import { values } from '@coffer/proto/values'
import { z } from 'zod'
import { markedFields } from '../book/field-marks.ts'

const Value = z.union([z.string(), z.array(z.string())]).nullable()

/**
 * A field that a run has changed: its former value and mark, and the rule's value. If the field is
 * the envelope, `gaveBefore` has the transaction's amount, and `given`, the minor units that the
 * former envelope had paid, or got of a refund. For refunds, `kept` is the part that the envelope
 * had spent and could not give back, and `refundable` the sum that transactions had taken from the
 * envelope.
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
 * The fields of one transaction that a run has changed; an undo deletes this record. `version` is
 * the bank account's version after the page of the run.
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

/** Snapshot of a rule from the creation of a run; its parts are protobuf messages as JSON. */
const KeptRule = z.object({ ruleId: z.string(), conditions: z.json(), actions: z.json() })
type KeptRule = z.infer<typeof KeptRule>

/**
 * A chosen rule with the rules around it that are not chosen. These are stored because they set
 * nothing, but decide fields before later rules. `before` has those since the previous chosen rule;
 * `after`, only of the last chosen rule, has those behind it.
 */
const RunRule = KeptRule.extend({
  before: z.array(KeptRule).optional(),
  after: z.array(KeptRule).optional(),
})
export type RunRule = z.infer<typeof RunRule>

/** Returns the chosen rules in order, each with its neighbours that are not chosen. */
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

/** Changes the actions of all rules of a run, chosen or not. */
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

/** Returns all rules of a run in the order of the account; `isChosen` marks the chosen rules. */
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
 * A run of rules over stored transactions (docs/rules/runs.md). `place…` is its cursor: the last
 * compared transaction. `rules` is null once the run has ended.
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

/** Returns a new run, with its cursor before the first transaction. */
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
