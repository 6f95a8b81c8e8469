import type { Database, Queries } from '@coffer/kit/database/database'
import { type FragmentSqlToken, sql } from 'slonik'
import { z } from 'zod'

const Finding = z.object({ accountId: z.string(), rule: z.string(), detail: z.string() })

/** A violation: the account, the name of the violated rule, and the IDs of the rows. */
type Finding = z.infer<typeof Finding>

/** An event about changed objects, published long enough ago that the feed must contain it. */
interface ToldEvent {
  accountId: string
  eventId: string
}

const findingsMax = 100

const length = sql.fragment`jsonb_array_length(objects)`

// The inbox keeps the IDs of events for 97 days, but a feed may be kept longer. So only changes of
// the last 96 days are compared with the inbox.
const isInInbox = sql.fragment`position > (extract(epoch FROM now() - interval '96 days')
  * 1000000)::bigint`

/** Statements that select the violations of a rule, keyed by the name of the rule. */
const rules: Record<string, FragmentSqlToken> = {
  'a feed ends with its last change': sql.fragment`
    SELECT account_id, format('ends at %s, last change %s, removed to %s', last_position, last,
      removed_position) AS detail
    FROM feeds LEFT JOIN (
      SELECT account_id, max(position) AS last FROM feed_events GROUP BY 1
    ) AS ends USING (account_id)
    WHERE last_position <> coalesce(last, removed_position)`,
  'changes have a feed and lie behind the removed ones': sql.fragment`
    SELECT account_id, format('%s: at %s, removed to %s', event_id, position, removed_position)
      AS detail
    FROM feed_events LEFT JOIN feeds USING (account_id)
    WHERE position - ${length} >= removed_position IS NOT TRUE`,
  'each position has one change': sql.fragment`
    SELECT account_id, format('%s: %s objects at %s, the change before at %s', event_id, length,
      position, before) AS detail
    FROM (
      SELECT account_id, event_id, position, ${length} AS length,
        lag(position) OVER (PARTITION BY account_id ORDER BY position) AS before
      FROM feed_events
    ) AS steps
    WHERE length = 0 OR position - length < before`,
  'a change is in one feed, once': sql.fragment`
    SELECT min(account_id) AS account_id, event_id AS detail
    FROM feed_events GROUP BY event_id
    HAVING count(*) > count(DISTINCT first_index) OR min(account_id) <> max(account_id)`,
  'an object has changes in one account': sql.fragment`
    SELECT min(account_id) AS account_id, object ->> 'objectId' AS detail
    FROM feed_events CROSS JOIN jsonb_array_elements(objects) AS object
    GROUP BY object ->> 'objectId' HAVING min(account_id) <> max(account_id)`,
  'the event of a change is known': sql.fragment`
    SELECT account_id, event_id AS detail FROM feed_events
    WHERE ${isInInbox} AND NOT EXISTS (SELECT FROM inbox WHERE change_id = event_id)`,
  'an event that a service has told is known': sql.fragment`
    SELECT account_id, event_id AS detail FROM told_events
    WHERE NOT EXISTS (SELECT FROM inbox WHERE change_id = event_id)`,
  'a webhook has its progress and a secret': sql.fragment`
    SELECT account_id, webhook_id AS detail FROM webhooks
    WHERE deleted_at IS NULL AND NOT (
      EXISTS (SELECT FROM webhook_progress AS progress
        WHERE progress.account_id = webhooks.account_id
          AND progress.webhook_id = webhooks.webhook_id)
      AND EXISTS (SELECT FROM webhook_secrets AS secret
        WHERE secret.account_id = webhooks.account_id AND secret.webhook_id = webhooks.webhook_id
          AND ends_at IS NULL))`,
  'a webhook has come no further than its feed': sql.fragment`
    SELECT account_id, format('%s: at %s, the feed ends at %s', webhook_id, position,
      coalesce(last_position, 0)) AS detail
    FROM webhook_progress LEFT JOIN feeds USING (account_id)
    WHERE position > coalesce(last_position, 0)`,
  'a delivery is of a webhook of its account': sql.fragment`
    SELECT account_id, format('%s: %s', webhook_id, delivery_id) AS detail
    FROM webhook_deliveries AS delivery
    WHERE NOT EXISTS (SELECT FROM webhooks WHERE webhooks.account_id = delivery.account_id
      AND webhooks.webhook_id = delivery.webhook_id)`,
  'a delivery is of a change of its account': sql.fragment`
    SELECT delivery.account_id, format('%s: %s', delivery_id, delivery.change_id) AS detail
    FROM webhook_deliveries AS delivery JOIN feeds USING (account_id)
      LEFT JOIN LATERAL (
        SELECT event_id, first_index, objects, position - ${length} + 1 AS start
        FROM feed_events AS event
        WHERE event.account_id = delivery.account_id AND event.position >= delivery.position
        ORDER BY position LIMIT 1
      ) AS event ON true
    WHERE type <> 'webhook.ping' AND delivery.position > removed_position AND (
      delivery.change_id = format('%s-%s', event_id, first_index + delivery.position - start)
      AND object_id = objects -> (delivery.position - start)::integer ->> 'objectId'
      AND type = objects -> (delivery.position - start)::integer ->> 'type'
    ) IS NOT TRUE`,
}

/**
 * Checks the feeds and the webhooks (docs/api/changes.md#audit), and that the feeds contain the
 * events that the services have published. Returns up to 100 violations for each rule. An account
 * that is being deleted may appear as a violation, so only a violation that a second audit repeats
 * is an error.
 */
export async function auditFeeds(
  { pool }: Database,
  told: AsyncIterable<readonly ToldEvent[]>,
): Promise<Finding[]> {
  return pool.connect(async (connection) => {
    await stage(connection, told)
    const findings: Finding[] = []
    for (const [rule, broken] of Object.entries(rules)) {
      const found = await connection.any(sql.type(Finding)`
        SELECT account_id AS "accountId", ${rule} AS rule, detail FROM (${broken}) AS broken
        ORDER BY account_id, detail LIMIT ${findingsMax}`)
      findings.push(...found)
    }
    return findings
  })
}

/** Copies pages into a temporary table, so that memory is bounded by the size of a page. */
async function stage(
  connection: Queries,
  told: AsyncIterable<readonly ToldEvent[]>,
): Promise<void> {
  // A pooled connection may still have the table of an earlier audit.
  await connection.query(sql.unsafe`DROP TABLE IF EXISTS pg_temp.told_events`)
  await connection.query(sql.unsafe`
    CREATE TEMPORARY TABLE told_events (account_id text, event_id text)`)
  for await (const page of told) {
    const tuples = page.map(({ accountId, eventId }) => [accountId, eventId])
    await connection.query(sql.unsafe`
      INSERT INTO pg_temp.told_events SELECT * FROM ${sql.unnest(tuples, ['text', 'text'])}`)
  }
}
