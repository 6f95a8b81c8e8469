import type { Database, Queries, Transaction as Tx } from '@coffer/kit/database/database'
import { assignmentsOf, columnsOf, insertOf } from '@coffer/kit/database/rows'
import { prepare, read } from '@coffer/kit/database/statement'
import { type Change, emit } from '@coffer/kit/events/changes'
import { objectsChanged } from '@coffer/kit/events/objects-changed'
import { ObjectsChangedSchema } from '@coffer/proto/ledger/v1/events'
import { sql } from 'slonik'
import { z } from 'zod'

/** A rule; `conditions` and `actions` are protobuf messages as JSON. */
export const Rule = z.object({
  accountId: z.string(),
  ruleId: z.string(),
  place: z.number(),
  name: z.string(),
  conditions: z.json(),
  actions: z.json(),
  createdAt: z.date(),
  createdBy: z.string().nullable(),
  updatedAt: z.date(),
})
export type Rule = z.infer<typeof Rule>

/** Account and ID of a rule. */
export type RuleKey = Pick<Rule, 'accountId' | 'ruleId'>

const columns = columnsOf(Rule, { table: 'rules' })

const rulesOfAccount = prepare(
  ['accountId'],
  ({ accountId }) => read(Rule)`
    SELECT ${columns} FROM rules WHERE account_id = ${accountId} ORDER BY place, rule_id`,
)

/** Lists the rules of an account in their order, at most 500. */
export function listRules(
  { pool }: { pool: Queries },
  accountId: string,
): Promise<readonly Rule[]> {
  return pool.any(rulesOfAccount({ accountId }))
}

/** Inserts a rule as the last in order; returns it. */
export async function insertRule(tx: Tx, rule: Omit<Rule, 'place'>): Promise<Rule> {
  const behindAll = await tx.oneFirst(sql.type(Rule.pick({ place: true }))`
    SELECT coalesce(max(place), 0) + 1 AS place FROM rules WHERE account_id = ${rule.accountId}`)
  const placed = { ...rule, place: behindAll }
  await tx.query(sql.unsafe`${insertOf('rules', Rule, placed)}`)
  await emit(tx, ...tellRules(rule.accountId, rule.createdAt, { created: [rule.ruleId] }))
  return placed
}

/** Returns a rule; null if the account has none with this ID. */
export function findRule(
  { pool }: { pool: Queries },
  { accountId, ruleId }: RuleKey,
): Promise<Rule | null> {
  return pool.maybeOne(read(Rule)`
    SELECT ${columns} FROM rules WHERE account_id = ${accountId} AND rule_id = ${ruleId}`)
}

/** Locks and returns a rule; null if the account has none with this ID. */
export function lockRule(tx: Tx, { accountId, ruleId }: RuleKey): Promise<Rule | null> {
  return tx.maybeOne(sql.type(Rule)`
    SELECT ${columns} FROM rules
    WHERE account_id = ${accountId} AND rule_id = ${ruleId} FOR NO KEY UPDATE`)
}

/** Saves a changed rule, and emits the change. */
export async function saveRule(tx: Tx, rule: Rule): Promise<void> {
  const { accountId, ruleId, updatedAt } = rule
  await tx.query(sql.unsafe`
    UPDATE rules SET ${assignmentsOf(rule, ['name', 'conditions', 'actions', 'updatedAt'])}
    WHERE account_id = ${accountId} AND rule_id = ${ruleId}`)
  await emit(tx, ...tellRules(accountId, updatedAt, { updated: [ruleId] }))
}

/** Returns events for the IDs of created, updated and deleted rules. */
function tellRules(
  accountId: string,
  now: Date,
  ruleIds: Partial<Record<'created' | 'updated' | 'deleted', readonly string[]>>,
): Change[] {
  const objects = Object.entries(ruleIds).flatMap(([what, ids]) =>
    ids.map((objectId) => ({ type: `rule.${what as keyof typeof ruleIds}` as const, objectId })),
  )
  return objectsChanged(ObjectsChangedSchema, { accountId, now }, objects)
}

/** Deletes a rule, and emits the change. */
export async function deleteRule(tx: Tx, { accountId, ruleId }: RuleKey, now: Date): Promise<void> {
  await tx.query(sql.unsafe`
    DELETE FROM rules WHERE account_id = ${accountId} AND rule_id = ${ruleId}`)
  await emit(tx, ...tellRules(accountId, now, { deleted: [ruleId] }))
}

/** Returns the ID of a bank account, archived or not; null if unknown or its link is deleted. */
export function findNamedAccount(
  { pool }: { pool: Queries },
  accountId: string,
  bankAccountId: string,
): Promise<string | null> {
  return pool.maybeOneFirst(sql.type(z.object({ bankAccountId: z.string() }))`
    SELECT bank_account_id AS "bankAccountId" FROM bank_accounts
    WHERE account_id = ${accountId} AND bank_account_id = ${bankAccountId}
      AND removed_at IS NULL`)
}

/** Returns the IDs of the archived bank accounts of an account. */
export async function listArchived(
  { pool }: Database,
  accountId: string,
): Promise<ReadonlySet<string>> {
  const found = await pool.anyFirst(sql.type(z.object({ bankAccountId: z.string() }))`
    SELECT bank_account_id AS "bankAccountId" FROM bank_accounts
    WHERE account_id = ${accountId} AND deleted_at IS NOT NULL AND removed_at IS NULL`)
  return new Set(found)
}

/** Locks the rules of an account whose actions have tags, in the order of their IDs. */
export function lockTagging(tx: Tx, accountId: string): Promise<readonly Rule[]> {
  return tx.any(sql.type(Rule)`
    SELECT ${columns} FROM rules
    WHERE account_id = ${accountId} AND actions ? 'tags' ORDER BY rule_id FOR NO KEY UPDATE`)
}

const Owner = z.object({ spendingId: z.string(), bankAccountId: z.string() })

/** Returns the bank account IDs of open envelopes, by envelope ID. */
export async function listOwners(
  { pool }: Database,
  accountId: string,
  spendingIds: readonly string[],
): Promise<Map<string, string>> {
  if (spendingIds.length === 0) return new Map()
  const found = await pool.any(sql.type(Owner)`
    SELECT spending_id AS "spendingId", bank_account_id AS "bankAccountId" FROM envelopes
    WHERE account_id = ${accountId} AND spending_id = ANY(${sql.array([...spendingIds], 'text')})
      AND closed_at IS NULL`)
  return new Map(found.map(({ spendingId, bankAccountId }) => [spendingId, bankAccountId]))
}

const RuleId = z.object({ ruleId: z.string() })

/** Locks the rules of an account; returns their IDs. */
export function lockRules(tx: Tx, accountId: string): Promise<readonly string[]> {
  return tx.anyFirst(sql.type(RuleId)`
    SELECT rule_id AS "ruleId" FROM rules WHERE account_id = ${accountId}
    ORDER BY rule_id FOR NO KEY UPDATE`)
}

/** Sorts the rules of an account in the order of `ruleIds`. */
export async function orderRules(
  tx: Tx,
  accountId: string,
  { ruleIds, now }: { ruleIds: readonly string[]; now: Date },
): Promise<void> {
  const updated = await tx.anyFirst(sql.type(RuleId)`
    UPDATE rules SET place = wanted.place
    FROM unnest(${sql.array([...ruleIds], 'text')}) WITH ORDINALITY AS wanted(rule_id, place)
    WHERE account_id = ${accountId} AND rules.rule_id = wanted.rule_id
      AND rules.place <> wanted.place
    RETURNING rules.rule_id AS "ruleId"`)
  await emit(tx, ...tellRules(accountId, now, { updated }))
}
