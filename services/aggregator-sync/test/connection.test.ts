import { type Booted, boot } from '@coffer/host/testing/boot'
import { newId } from '@coffer/kit/values/id'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { sql } from 'slonik'
import { z } from 'zod'
import { aggregatorSync } from '../src/service.ts'

let booted: Booted

beforeAll(async () => {
  booted = await boot([aggregatorSync])
})

afterAll(async () => {
  await booted[Symbol.asyncDispose]()
})

const Row = z.object({ linkId: z.string(), releasedAt: z.date().nullable() })

function connections(accountId: string) {
  return booted.database('aggregator-sync').pool.any(sql.type(Row)`
    SELECT link_id AS "linkId", released_at AS "releasedAt" FROM connections
    WHERE account_id = ${accountId} ORDER BY link_id`)
}

async function connect(accountId: string, linkId: string): Promise<void> {
  await booted.database('aggregator-sync').pool.query(sql.unsafe`
    INSERT INTO connections (account_id, link_id) VALUES (${accountId}, ${linkId})`)
}

const release = (accountId: string, linkId: string) =>
  booted.host.services['aggregator-sync']?.activities?.releaseAggregatorConnection?.(
    accountId,
    linkId,
  )

test('the service is ready: its database answers', async () => {
  expect(await booted.isHealthy()).toBe(true)
})

test('the connection of a link is released once, and no other', async () => {
  const [accountId, stranger] = [newId('acct'), newId('acct')]
  await connect(accountId, 'link_1')
  await connect(accountId, 'link_2')
  await connect(stranger, 'link_1')
  booted.clock.now = new Date('2026-05-01T08:00:00Z')
  await release(accountId, 'link_1')
  booted.clock.now = new Date('2026-05-02T08:00:00Z')
  await release(accountId, 'link_1')
  expect(await connections(accountId)).toEqual([
    { linkId: 'link_1', releasedAt: new Date('2026-05-01T08:00:00Z') },
    { linkId: 'link_2', releasedAt: null },
  ])
  expect(await connections(stranger)).toEqual([{ linkId: 'link_1', releasedAt: null }])
})

test('a link without a connection has nothing to release', async () => {
  const accountId = newId('acct')
  await release(accountId, 'link_1')
  expect(await connections(accountId)).toEqual([])
})
