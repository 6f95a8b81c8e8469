import { boot } from '@coffer/host/testing/boot'
import { started } from '@coffer/host/testing/started'
import { problemsOf, refusalOf } from '@coffer/kit/rpc/errors'
import { newId } from '@coffer/kit/values/id'
import { dayMs } from '@coffer/kit/values/time'
import { FeedService } from '@coffer/proto/notices/v1/feed'
import { ConnectError } from '@connectrpc/connect'
import { expect, test } from '@jest/globals'
import { sql } from 'slonik'
import { entriesOf, feedEventsOf } from '../src/feed/entry.ts'
import { appendEvents } from '../src/feed/feed.sql.ts'
import { sweepFeeds } from '../src/feed/feed-sweep.service.ts'
import { notices } from '../src/service.ts'

const booted = started(() => boot([notices]))

/** Returns the rows of an event with one object of each type, and the ID of the event. */
function eventOf(accountId: string, types: string[], eventId = newId('chg')) {
  const objects = types.map((type) => ({ type, objectId: newId('txn'), version: 7n }))
  return feedEventsOf([{ accountId, objects }], { eventId, now: new Date() })
}

const append = (...events: ReturnType<typeof eventOf>[]) =>
  appendEvents(booted.database('notices'), 'notices', events.flat())

/** A reader of the feed of a new account, or of `accountId`. */
function reader(accountId = newId('acct')) {
  const feed = booted.client('notices', FeedService)
  const as = booted.as(accountId)
  return {
    accountId,
    read: async (
      after?: bigint,
      more: { limit?: number; types?: string[]; fromEnd?: boolean } = {},
    ) => {
      const start = after === undefined ? {} : { after }
      const page = await feed.listChanges({ limit: 100, ...start, ...more }, as)
      return { ...page, ids: page.changes.map(({ changeId }) => changeId) }
    },
  }
}

const idsOf = (...events: ReturnType<typeof eventOf>[]) =>
  events
    .flat()
    .flatMap((event) => entriesOf({ ...event, position: 0n }))
    .map(({ changeId }) => changeId)

test('a reader that follows the positions gets each change once, in one order', async () => {
  const { accountId, read } = reader()
  const [first, second] = [
    eventOf(accountId, ['rule.created', 'rule.updated', 'rule.updated']),
    eventOf(accountId, ['rule.deleted']),
  ]
  const other = eventOf(newId('acct'), ['rule.created'])
  // The first event twice: a message is delivered again while it waits.
  expect(await append(first, second, first, other)).toHaveLength(2)
  // The page ends in the middle of an event.
  const page = await read(undefined, { limit: 2 })
  expect([page.ids, page.hasMore]).toEqual([idsOf(first).slice(0, 2), true])
  const rest = await read(page.position, { limit: 2 })
  expect([rest.ids, rest.hasMore]).toEqual([[idsOf(first)[2], ...idsOf(second)], false])
  expect(await read(rest.position)).toMatchObject({ ids: [], position: rest.position })
  expect(page.changes[0]).toMatchObject({ type: 'rule.created', version: 7n, actor: 'job' })
})

test('an event that comes again changes nothing, also after its entries are removed', async () => {
  const { accountId, read } = reader()
  const event = eventOf(accountId, ['rule.created'])
  await append(event)
  const { position } = await read()
  expect(await append(event, event)).toEqual([])
  expect(await read()).toMatchObject({ ids: idsOf(event), position })
  await age(accountId)
  await sweepFeeds({ database: booted.database('notices'), config: { changesDays: 30 } })
  expect(await append(event)).toEqual([])
  expect((await read()).ids).toEqual([])
})

/** Moves the entries of an account, and the end of its feed, 31 days back. */
async function age(accountId: string): Promise<void> {
  const earlier = BigInt(31 * dayMs) * 1_000n
  const { pool } = booted.database('notices')
  await pool.query(sql.unsafe`
    UPDATE feed_events SET position = position - ${earlier} WHERE account_id = ${accountId}`)
  await pool.query(sql.unsafe`
    UPDATE feeds SET last_position = last_position - ${earlier} WHERE account_id = ${accountId}`)
}

test('a position before removed entries is gone, a later one goes on', async () => {
  const { accountId, read } = reader()
  await append(eventOf(accountId, ['rule.created']))
  await append(eventOf(accountId, ['rule.updated']))
  await age(accountId)
  const { position: end } = await read(undefined, { fromEnd: true })
  const { position: early } = await read(undefined, { limit: 1 })
  await sweepFeeds({ database: booted.database('notices'), config: { changesDays: 30 } })
  const later = eventOf(accountId, ['rule.deleted'])
  await append(later)
  const refused = await read(early).catch((error) => refusalOf(ConnectError.from(error)))
  expect(refused).toMatchObject({ status: 410, code: 'CHANGES_REMOVED' })
  expect((await read(end)).ids).toEqual(idsOf(later))
  expect((await read()).ids).toEqual(idsOf(later))
})

test('a cursor of a time to come is refused, or goes on from the end of the feed', async () => {
  const { accountId, read } = reader()
  expect((await read(1n)).position).toBe(0n)
  await append(eventOf(accountId, ['rule.created']))
  const { position } = await read()
  const [soon, late] = [position + 3_000_000_000n, position + 7_200_000_000n]
  // A fail-over may lose commits, and its clock may be behind the one that gave their cursors.
  const page = await read(soon)
  expect(page).toMatchObject({ ids: [], position, hasMore: false })
  const next = eventOf(accountId, ['rule.updated'])
  await append(next)
  expect((await read(page.position)).ids).toEqual(idsOf(next))
  const problems = await read(late).catch((error) => problemsOf(ConnectError.from(error)))
  expect(problems).toEqual({ after: 'must be a cursor from an earlier page of this list' })
})

test('a page of some types ends after a thousand entries, and the next one goes on', async () => {
  const { accountId, read } = reader()
  const many = Array.from({ length: 1_200 }, () => 'rule.updated')
  const last = eventOf(accountId, ['rule.deleted'])
  await append(eventOf(accountId, many))
  await append(last)
  const types = ['rule.deleted']
  const empty = await read(undefined, { types })
  expect([empty.ids, empty.hasMore]).toEqual([[], true])
  expect((await read(empty.position, { types })).ids).toEqual(idsOf(last))
})

test('readers of a feed with several writers miss and repeat nothing', async () => {
  const { accountId, read } = reader()
  const events = Array.from({ length: 60 }, () =>
    eventOf(accountId, ['rule.created', 'rule.updated']),
  )
  let isOver = false
  const follow = async () => {
    const ids: string[] = []
    let position = 0n
    for (let isLast = false; !isLast; ) {
      isLast = isOver
      const page = await read(position, { limit: 7 })
      ids.push(...page.ids)
      position = page.position
      if (page.hasMore) isLast = false
    }
    return ids
  }
  const readers = [follow(), follow()]
  // Each event twice, by eight writers at a time.
  const queue = [...events, ...events]
  const write = async () => {
    for (let one = queue.shift(); one; one = queue.shift()) await append(one)
  }
  await Promise.all(Array.from({ length: 8 }, write))
  isOver = true
  const all = (await read(undefined, { limit: 200 })).ids
  expect(all.toSorted()).toEqual(idsOf(...events).toSorted())
  expect(await Promise.all(readers)).toEqual([all, all])
})
