import { expect, test } from '@jest/globals'
import { sql } from 'slonik'
import { z } from 'zod'
import { eventually } from '../../testing/boot.ts'
import { createMessaging, settingsChange } from '../../testing/fixture/messaging.ts'
import { started } from '../../testing/started.ts'

const changesCount = 50_000

const messaging = started(() => createMessaging())

const Count = z.object({ count: z.bigint() })

const unpublished = () =>
  messaging.database.pool.oneFirst(sql.type(Count)`
    SELECT count(*) FROM changes WHERE published_at IS NULL`)

const unchecked = () =>
  messaging.database.pool.oneFirst(sql.type(Count)`
    SELECT count(*) FROM changes
    WHERE stream_position > coalesce((SELECT max(checked) FROM stream_positions), 0)`)

/** Returns how many changes a second were done until the count is 0. */
async function rateUntilNone(left: () => Promise<bigint>): Promise<number> {
  const startedAt = performance.now()
  await eventually(left, (count) => count === 0n, 300_000)
  return Math.round((1_000 * changesCount) / (performance.now() - startedAt))
}

test('the relay and the audit take more than 1,000 events a second', async () => {
  {
    // The first round stores the position from which the relay counts.
    await using _audit = messaging.audit()
    await eventually(
      () => messaging.database.pool.exists(sql.unsafe`SELECT FROM stream_positions`),
      (isStored) => isStored,
    )
  }
  const { payload, type } = settingsChange('acct_0', 'Europe/Berlin')
  await messaging.database.pool.query(sql.unsafe`
    INSERT INTO changes (change_id, account_id, type, entity_id, version, payload)
    SELECT 'chg_' || lpad(n::text, 10, '0'), 'acct_' || n % 20000, ${type}, 'acct_' || n % 20000, n,
      ${sql.binary(payload)}
    FROM generate_series(1, ${changesCount}) AS n`)
  const figures: Record<string, number> = {}
  {
    await using _relay = await messaging.relay()
    figures.publishedPerSecond = await rateUntilNone(unpublished)
  }
  await using _audit = messaging.audit()
  figures.auditedPerSecond = await rateUntilNone(unchecked)
  console.log(JSON.stringify({ fault: 'none: the cost of the audit', ...figures }))
  expect(figures.auditedPerSecond).toBeGreaterThan(1_000)
  expect(figures.publishedPerSecond).toBeGreaterThan(1_000)
  const lost = await messaging.database.pool.oneFirst(sql.type(Count)`
    SELECT count(*) FROM changes WHERE stream_position IS NULL`)
  expect(lost).toBe(0n)
}, 600_000)
