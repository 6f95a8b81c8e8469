import { eventually } from '@coffer/host/testing/boot'
import { metricValue } from '@coffer/host/testing/metrics'
import { started } from '@coffer/host/testing/started'
import { removeRowsOfAccount } from '@coffer/kit/accounts/account-removal.sql'
import { newId } from '@coffer/kit/values/id'
import { LinkService } from '@coffer/proto/ledger/v1/link'
import { beforeEach, expect, test } from '@jest/globals'
import { sql } from 'slonik'
import { z } from 'zod'
import { plaidFaults } from '../../providers/plaid/faults.ts'
import type { PlaidItem } from '../../providers/plaid/item.ts'
import { refusalOf, startLinkWorld, type WorldUser, withoutWorkflows } from './world.ts'

const recorded = withoutWorkflows()
let user: WorldUser
let linkId: string
let item: PlaidItem

const world = started(() => startLinkWorld({}, recorded.definition))

beforeEach(async () => {
  user = world.user()
  ;({ linkId, item } = await user.link())
})

const key = () => ({ accountId: user.accountId, linkId })

/** The activities that delete an account. */
function removal() {
  const { closeAccount, removeAccountRows } =
    world.booted.host.services['aggregator-sync']?.activities ?? {}
  return {
    close: () => closeAccount?.(user.accountId),
    remove: () => removeAccountRows?.(user.accountId),
  }
}

test('the deletion of a link removes its item, and then the token', async () => {
  await using running = await startLinkWorld()
  const owner = running.user()
  const linked = await owner.link()
  const { linkId: id } = linked
  await running.booted.client('ledger', LinkService).deleteLink({ linkId: id }, owner.as)
  const [row] = await eventually(owner.rows, ([link]) => link?.releasedAt != null)
  expect(row).toMatchObject({ status: 'deactivated', itemId: linked.item.itemId })
  expect(linked.item.isRemoved).toBe(true)
  expect(await owner.tokens()).toEqual([])
  const listed = await running.links.listAggregatorLinks({ linkIds: [id] }, owner.as)
  expect(listed.aggregatorLinks).toMatchObject([{ status: 'deactivated' }])
})

test('while the aggregator does not answer, a link ends, and its token is kept', async () => {
  item.fault(/remove/, plaidFaults.code('INTERNAL_SERVER_ERROR'), 3)
  const { finishLink } = world.activities()
  await world.end(key())
  expect(await finishLink(key())).toBe(60_000)
  expect(await user.rows()).toMatchObject([{ status: 'deactivated', releasedAt: null }])
  expect(await user.tokens()).toEqual(['access'])
  await world.finish(key())
  expect([item.isRemoved, await user.tokens()]).toEqual([true, []])
})

test('a release waits for a call of the item that is in flight', async () => {
  const reading = Promise.withResolvers<unknown>()
  item.fault(/accounts/, plaidFaults.hold(reading.promise), 1)
  const added = item.addAccount({ name: 'Plaid CD' })
  const publicToken = world.plaid.createPublicToken(item)
  const request = { linkId, publicToken, providerAccountIds: [added] }
  const calls = () => world.plaid.calls.filter(({ path }) => path === '/accounts/get').length
  const before = calls()
  const updated = world.links.updateAggregatorLink(request, user.as).catch(() => null)
  await eventually(
    async () => calls(),
    (count) => count > before,
  )
  await world.end(key())
  const finished = world.activities().finishLink(key())
  reading.resolve(null)
  await updated
  expect(await finished).toBeNull()
  expect([item.isRemoved, item.overlaps, await user.tokens()]).toEqual([true, [], []])
})

test('an item that the aggregator does not know counts as removed', async () => {
  item.isRemoved = true
  await world.end(key())
  await world.finish(key())
  expect(await user.tokens()).toEqual([])
})

test('a link whose connection ends without a deletion becomes manual', async () => {
  await world.end(key())
  await world.finish(key())
  expect(await user.inLedger()).toMatchObject([
    { linkType: 'manual', accounts: ['Plaid Checking', 'Plaid Saving'] },
  ])
})

test('links that are not there, or another account has, are not released', async () => {
  await world.end({ accountId: user.accountId, linkId: newId('link') })
  await world.end({ accountId: world.user().accountId, linkId })
  expect(await user.rows()).toMatchObject([{ status: 'pending' }])
})

test('the sweep starts links that are not finished, and no others', async () => {
  const started = async () => {
    const finishing = recorded.starts.filter(({ type }) => type === 'finishAggregatorLink')
    return finishing.map(({ id }) => id)
  }
  const older = () =>
    world.booted.database('aggregator-sync').pool.query(sql.unsafe`
      UPDATE aggregator_links SET updated_at = updated_at - interval '2 minutes'`)
  await older()
  await eventually(started, (ids) => ids.includes(`aggregator-link/${linkId}`))
  recorded.starts.splice(0)
  expect(await world.activities().startUnfinishedLinks([])).toBeNull()
  expect(await started()).not.toContain(`aggregator-link/${linkId}`)
  await world.end(key())
  await eventually(started, (ids) => ids.includes(`aggregator-link/${linkId}`))
  recorded.starts.splice(0)
  await older()
  expect(await world.activities().startUnfinishedLinks([])).toBeNull()
  expect(await started()).toContain(`aggregator-link/${linkId}`)
})

test('the deletion of an account waits until its items are removed', async () => {
  item.fault(/remove/, plaidFaults.code('INTERNAL_SERVER_ERROR'), 1)
  const { close, remove } = removal()
  await close()
  expect(await refusalOf(Promise.resolve(remove()))).toMatch(/the aggregator answered with/)
  expect(await user.tokens()).toEqual(['access'])
  expect(await remove()).toBe(false)
  expect(item.isRemoved).toBe(true)
  expect(await remove()).toBe(true)
  expect(await user.rows()).toEqual([])
  expect(await refusalOf(user.link())).toBe('account: record does not exist')
  expect(await user.rows()).toEqual([])
})

test('the version before cannot delete the token of an item that is not removed', async () => {
  const { close, remove } = removal()
  await close()
  // Its deletion of an account removes the rows, and calls no aggregator.
  const deletion = removeRowsOfAccount(world.booted.database('aggregator-sync'), user.accountId)
  await expect(deletion).rejects.toThrow(
    `the item of the link ${linkId} is not removed at the aggregator`,
  )
  expect([item.isRemoved, await user.tokens()]).toEqual([false, ['access']])
  expect([await remove(), item.isRemoved, await remove()]).toEqual([false, true, true])
})

/** Returns the value of a metric of aggregator-sync. */
async function metric(name: string): Promise<number> {
  return (await metricValue(`coffer_aggregator_${name}`)) ?? Number.NaN
}

test('metrics count the releases that wait, and the time of the longest', async () => {
  const before = await metric('releases_waiting')
  await world.end(key())
  expect(await metric('releases_waiting')).toBe(before + 1)
  await world.booted.database('aggregator-sync').pool.query(sql.unsafe`
    UPDATE aggregator_links SET deleted_at = deleted_at - interval '3 days'
    WHERE link_id = ${linkId}`)
  expect(await metric('release_age_seconds')).toBeGreaterThanOrEqual(3 * 86_400)
  await world.finish(key())
  expect(await metric('releases_waiting')).toBe(before)
  expect(await metric('release_age_seconds')).toBeLessThan(3 * 86_400)
})

test('the deletion of an account exchanges a public token to remove its item', async () => {
  const other = world.user()
  const { callback, item: upstream } = await other.choose()
  world.plaid.fault(/exchange/, plaidFaults.code('INTERNAL_SERVER_ERROR'), 1)
  await refusalOf(world.links.createAggregatorLink(callback, other.as))
  user = other
  await removal().close()
  expect(await removal().remove()).toBe(false)
  expect([upstream.isRemoved, await removal().remove()]).toEqual([true, true])
})

const Json = z.object({ rows: z.string() })

test('no table and no event has a token or the secret in plain text', async () => {
  const { pool } = world.booted.database('aggregator-sync')
  const tables = ['aggregator_links', 'aggregator_tokens', 'link_tokens', 'changes', 'item_calls']
  const { callback } = await user.choose()
  const all = await Promise.all(
    tables.map((table) => {
      const name = sql.identifier([table])
      return pool.oneFirst(sql.type(Json)`
        SELECT coalesce(string_agg(to_jsonb(${name})::text, ' '), '') AS rows FROM ${name}`)
    }),
  )
  const stored = all.join(' ')
  expect(stored).toContain(linkId)
  const tokens = [item.accessToken, callback.publicToken, world.plaid.secret, 'link-sandbox-']
  for (const token of tokens) {
    const hex = Buffer.from(token).toString('hex')
    expect([stored.includes(token), stored.includes(hex)]).toEqual([false, false])
  }
})
