import { aggregatorSync } from '@coffer/aggregator-sync/service'
import { eventually } from '@coffer/host/testing/boot'
import { started } from '@coffer/host/testing/started'
import { mortalOf } from '@coffer/kit/testing/mortal'
import { expect, test } from '@jest/globals'
import { sql } from 'slonik'
import { plaidFaults } from '../../providers/plaid/faults.ts'
import type { PlaidItem } from '../../providers/plaid/item.ts'
import { seed } from '../../seed.ts'
import { type LinkWorld, startLinkWorld, type WorldUser } from './world.ts'

const mortal = mortalOf(aggregatorSync)
const stepsMax = 200
/** Every third statement: three consecutive seeds go through all. */
const stride = 3
const firstStep = 1 + (seed % stride)

const world = started(() => startLinkWorld({}, mortal.definition))

/**
 * Runs `work` again and again, with a crash before a later one of its statements each time, until
 * it ends without. Returns the number of the last statement before which it crashed.
 */
async function crashEverywhere(
  prepare: () => Promise<{ work: () => Promise<unknown>; check: () => Promise<void> }>,
): Promise<number> {
  for (let step = firstStep; step <= stepsMax; step += stride) {
    const { work, check } = await prepare()
    mortal.killBefore(step)
    await work().catch(() => undefined)
    const wasKilled = mortal.revive()
    await check()
    if (!wasKilled) return step - stride
  }
  throw new Error(`more than ${stepsMax} statements`)
}

/** How a creation ended. */
function endOf({ isRemoved }: PlaidItem, kinds: readonly string[], status = 'none'): string {
  return [status, ...kinds, isRemoved ? 'removed' : 'not removed'].join(', ')
}

const exchanges = () =>
  world.plaid.calls.filter(({ path, status }) => /exchange/.test(path) && status === 200).length

async function checkCreation(user: WorldUser, item: PlaidItem, exchangedBefore: number) {
  const before = await user.rows()
  expect(before.length).toBeLessThanOrEqual(1)
  const isLost = exchanges() > exchangedBefore && before[0]?.itemId === null
  for (const link of before) await world.finish(link)
  const [row] = await user.rows()
  const end = endOf(item, await user.tokens(), row?.status)
  const inLedger = await user.inLedger()
  if (!row) {
    expect([end, inLedger]).toEqual(['none, not removed', []])
  } else if (isLost) {
    // The only gap: the aggregator has answered, and the answer was not stored.
    expect([end, inLedger]).toEqual(['deactivated, not removed', []])
  } else {
    expect(end).toBe('pending, access, not removed')
    expect(row).toMatchObject({ itemId: item.itemId, chosenAccounts: [] })
    const accounts = ['Plaid Checking', 'Plaid Saving']
    expect(inLedger).toEqual([{ name: 'First Platypus Bank', linkType: 'aggregator', accounts }])
    const requested = await world.booted.changes('aggregator-sync', user.accountId)
    expect(requested).toContain('coffer.aggregatorsync.v1.AggregatorSyncRequested')
  }
  return isLost
}

test('a creation is finished or undone, wherever the process dies', async () => {
  const lost: boolean[] = []
  const crashes = await crashEverywhere(async () => {
    const user = world.user()
    const { callback, item } = await user.choose()
    const exchangedBefore = exchanges()
    return {
      work: () => world.links.createAggregatorLink(callback, user.as),
      check: async () => void lost.push(await checkCreation(user, item, exchangedBefore)),
    }
  })
  expect(crashes).toBeGreaterThan(20)
  expect(lost.filter(Boolean).length).toBeLessThan(lost.length / 2)
}, 120_000)

test('a creation without an answer to the exchange is finished later', async () => {
  const user = world.user()
  const { callback, item } = await user.choose()
  world.plaid.fault(/exchange/, { kind: 'status', status: 500, body: '{}' }, 1)
  const refused = world.links.createAggregatorLink(callback, user.as)
  await expect(refused).rejects.toThrow(/failed to exchange token: the server tries again/)
  const [row] = await user.rows()
  expect(row?.status).toBe('creating')
  const { aggregatorLinks } = await world.links.listAggregatorLinks(
    { linkIds: [row?.linkId ?? ''] },
    user.as,
  )
  expect(aggregatorLinks).toMatchObject([{ status: 'pending' }])
  await world.finish({ accountId: user.accountId, linkId: row?.linkId ?? '' })
  expect(endOf(item, await user.tokens(), (await user.rows())[0]?.status)).toBe(
    'pending, access, not removed',
  )
})

test('a client that goes away during the exchange leaves a link, not a lost item', async () => {
  const user = world.user()
  const { callback, item } = await user.choose()
  const exchanging = Promise.withResolvers<unknown>()
  world.plaid.fault(/exchange/, plaidFaults.hold(exchanging.promise), 1)
  const client = new AbortController()
  const calls = world.plaid.calls.length
  const callbackOf = world.links.createAggregatorLink(callback, {
    ...user.as,
    signal: client.signal,
  })
  const refused = callbackOf.catch(() => null)
  await eventually(
    async () => world.plaid.calls.length,
    (count) => count > calls,
  )
  client.abort()
  await refused
  exchanging.resolve(null)
  const [row] = await eventually(user.rows, ([link]) => link?.itemId != null)
  await world.finish({ accountId: user.accountId, linkId: row?.linkId ?? '' })
  expect(endOf(item, await user.tokens(), (await user.rows())[0]?.status)).toBe(
    'pending, access, not removed',
  )
})

test('two attempts of a creation at once leave one link, or remove the item', async () => {
  const user = world.user()
  const { callback, item } = await user.choose()
  const exchanging = Promise.withResolvers<unknown>()
  world.plaid.fault(/exchange/, plaidFaults.hold(exchanging.promise), 1)
  const calls = world.plaid.calls.length
  const refused = world.links.createAggregatorLink(callback, user.as).catch(() => null)
  await eventually(
    async () => world.plaid.calls.length,
    (count) => count > calls,
  )
  const key = { accountId: user.accountId, linkId: (await user.rows())[0]?.linkId ?? '' }
  // The aggregator answers the second attempt first.
  await world.finish(key)
  exchanging.resolve(null)
  await refused
  await world.finish(key)
  const end = endOf(item, await user.tokens(), (await user.rows())[0]?.status)
  expect(['pending, access, not removed', 'deactivated, removed']).toContain(end)
  expect(await user.inLedger()).toHaveLength(item.isRemoved ? 0 : 1)
})

test('a release keeps the token until the item is removed, wherever the process dies', async () => {
  const crashes = await crashEverywhere(async () => {
    const user = world.user()
    const { linkId, item } = await user.link()
    const key = { accountId: user.accountId, linkId }
    // Without an event: the clean-up of the link is called here.
    await world.booted.database('ledger').pool.query(sql.unsafe`
      UPDATE links SET deleted_at = now() WHERE link_id = ${linkId}`)
    const { releaseAggregatorConnection, finishLink } = mortal.activities() as ReturnType<
      LinkWorld['activities']
    >
    return {
      work: async () => {
        await releaseAggregatorConnection(user.accountId, linkId)
        await finishLink(key)
      },
      check: async () => {
        if (!item.isRemoved) expect(await user.tokens()).toEqual(['access'])
        await releaseAggregatorConnection(user.accountId, linkId)
        await world.finish(key)
        expect(endOf(item, await user.tokens(), (await user.rows())[0]?.status)).toBe(
          'deactivated, removed',
        )
        expect(item.overlaps).toEqual([])
      },
    }
  })
  expect(crashes).toBeGreaterThan(10)
}, 120_000)

test('an update is done to the end or not at all, wherever the process dies', async () => {
  const ends: string[] = []
  const crashes = await crashEverywhere(async () => {
    const user = world.user()
    const { linkId, item } = await user.link()
    const added = item.addAccount({ name: 'Plaid CD', mask: '2222', subtype: 'cd' })
    const publicToken = world.plaid.createPublicToken(item)
    const request = { linkId, publicToken, providerAccountIds: [added] }
    return {
      work: () => world.links.updateAggregatorLink(request, user.as),
      check: async () => {
        for (const link of await user.rows()) await world.finish(link)
        const [row] = await user.rows()
        const [link] = await user.inLedger()
        expect(row?.chosenAccounts).toEqual([])
        expect(await user.tokens()).toEqual(['access'])
        ends.push(`${row?.status}, ${link?.accounts.length}`)
      },
    }
  })
  expect(crashes).toBeGreaterThan(20)
  // Before the update is stored nothing has changed, and afterwards it is done to the end.
  expect([...new Set(ends)]).toEqual(['pending, 2', 'setup, 3'])
}, 120_000)

test('an update with the token of another item leaves none behind, wherever it dies', async () => {
  const lost: boolean[] = []
  const crashes = await crashEverywhere(async () => {
    const user = world.user()
    const { linkId, item } = await user.link()
    const { callback, item: other } = await user.choose()
    const exchangedBefore = exchanges()
    const { publicToken, providerAccountIds } = callback
    return {
      work: () =>
        world.links.updateAggregatorLink({ linkId, publicToken, providerAccountIds }, user.as),
      check: async () => {
        const isExchanged = exchanges() > exchangedBefore
        const before = await user.rows()
        const isStored = before.some(({ itemId }) => itemId === other.itemId)
        for (const link of before) await world.finish(link)
        const rows = await user.rows()
        const own = rows.find((row) => row.linkId === linkId)
        expect([own?.itemId, own?.deletedAt, item.isRemoved]).toEqual([item.itemId, null, false])
        expect(await user.tokens()).toEqual(['access'])
        expect(await user.inLedger()).toHaveLength(1)
        // The only gap: the aggregator has answered, and the answer was not stored.
        const isLost = isExchanged && !isStored
        expect(other.isRemoved).toBe(rows.length > 1 && !isLost)
        lost.push(isLost)
      },
    }
  })
  expect(crashes).toBeGreaterThan(15)
  expect(lost.filter(Boolean).length).toBeLessThan(lost.length / 2)
}, 120_000)

test('an update whose exchange had no answer gets the token of its item later', async () => {
  const user = world.user()
  const { linkId, item } = await user.link()
  const { linkToken } = await world.links.createUpdateToken({ linkId }, user.as)
  const { publicToken } = world.plaid.completeLink(linkToken, { renews: true })
  world.plaid.fault(/exchange/, { kind: 'status', status: 500, body: '{}' }, 1)
  const request = {
    linkId,
    publicToken,
    providerAccountIds: [item.accounts()[0]?.account_id ?? ''],
  }
  await expect(world.links.updateAggregatorLink(request, user.as)).rejects.toThrow(/failed to/)
  for (const row of await user.rows()) await world.finish(row)
  expect([item.isRemoved, await user.tokens()]).toEqual([false, ['access']])
  await world.links.createUpdateToken({ linkId }, user.as)
  const last = world.plaid.calls.filter(({ path }) => path === '/link/token/create').at(-1)
  expect(last).toMatchObject({ status: 200, request: { access_token: item.accessToken } })
})
