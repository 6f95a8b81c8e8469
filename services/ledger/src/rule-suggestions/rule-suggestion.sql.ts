import type { Database, Queries, Transaction as Tx } from '@coffer/kit/database/database'
import { columnsOf } from '@coffer/kit/database/rows'
import { sql } from 'slonik'
import { z } from 'zod'
import { Rule } from '../rules/rule.sql.ts'

const Clustered = z.object({ transactionId: z.string(), clusterId: z.string() })

/** Returns cluster IDs by transaction ID; transactions without a cluster have no entry. */
export async function listClusters(
  { pool }: Database,
  accountId: string,
  transactionIds: readonly string[],
): Promise<Map<string, string>> {
  const found = await pool.any(sql.type(Clustered)`
    SELECT wanted.id AS "transactionId", cluster.transaction_cluster_id AS "clusterId"
    FROM unnest(${sql.array([...transactionIds], 'text')}) AS wanted(id)
      CROSS JOIN LATERAL (
        SELECT * FROM transaction_clusters WHERE members @> ARRAY[wanted.id] OFFSET 0
      ) AS cluster
    WHERE cluster.account_id = ${accountId}`)
  return new Map(found.map(({ transactionId, clusterId }) => [transactionId, clusterId]))
}

const Answer = z.object({ ruleSuggestionId: z.string() })

/** Returns the IDs of the dismissed suggestions of an account. */
export async function listDismissed(
  { pool }: Database,
  accountId: string,
): Promise<ReadonlySet<string>> {
  const ids = await pool.anyFirst(sql.type(Answer)`
    SELECT rule_suggestion_id AS "ruleSuggestionId" FROM rule_suggestion_answers
    WHERE account_id = ${accountId} AND rule_id IS NULL`)
  return new Set(ids)
}

/** Returns the rule created from a suggestion; null if none was created, or it is deleted. */
export function findAccepted(
  pool: Queries,
  { accountId, ruleSuggestionId }: { accountId: string; ruleSuggestionId: string },
): Promise<Rule | null> {
  return pool.maybeOne(sql.type(Rule)`
    SELECT ${columnsOf(Rule, { table: 'rules' })}
    FROM rule_suggestion_answers AS answer JOIN rules USING (account_id, rule_id)
    WHERE answer.account_id = ${accountId} AND answer.rule_suggestion_id = ${ruleSuggestionId}`)
}

interface NewAnswer {
  accountId: string
  ruleSuggestionId: string
  /** The created rule; null dismisses the suggestion. */
  ruleId: string | null
  answeredAt: Date
  answeredBy: string
}

/** Inserts or replaces an answer, and deletes an account's oldest answers beyond `max`. */
export async function saveAnswer(tx: Tx, answer: NewAnswer, max: number): Promise<void> {
  const { accountId, ruleSuggestionId, ruleId, answeredBy } = answer
  const answeredAt = answer.answeredAt.toISOString()
  await tx.query(sql.unsafe`
    INSERT INTO rule_suggestion_answers
      (account_id, rule_suggestion_id, rule_id, answered_at, answered_by)
    VALUES (${accountId}, ${ruleSuggestionId}, ${ruleId}, ${answeredAt}, ${answeredBy})
    ON CONFLICT (account_id, rule_suggestion_id) DO UPDATE
      SET rule_id = EXCLUDED.rule_id, answered_at = EXCLUDED.answered_at,
        answered_by = EXCLUDED.answered_by`)
  await tx.query(sql.unsafe`
    DELETE FROM rule_suggestion_answers
    WHERE account_id = ${accountId} AND rule_suggestion_id IN (
      SELECT rule_suggestion_id FROM rule_suggestion_answers WHERE account_id = ${accountId}
      ORDER BY answered_at DESC, rule_suggestion_id OFFSET ${max})`)
}
