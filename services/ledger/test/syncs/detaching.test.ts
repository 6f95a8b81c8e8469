import { eventually } from '@coffer/host/testing/boot'
import { booting } from '@coffer/host/testing/booting'
import { expect, test } from '@jest/globals'
import { sql } from 'slonik'
import { z } from 'zod'
import { ledger } from '../../src/service.ts'
import { auditing } from '../auditing.ts'
import { holdRow } from '../held-row.ts'
import { refusals } from '../outcomes.ts'
import { anAccount, aRow, linkOf, rowsOf, type SyncedHome, shown, syncedHome } from './syncing.ts'

const booted = auditing(booting([ledger]))

const detach = ({ sync, linkId, by }: SyncedHome) => sync.detachLink({ linkId }, by)

const Count = z.object({ count: z.bigint() })

/** Resolves when this many statements wait for a lock. */
function untilAwaited(count: number) {
  const read = () =>
    booted.database('ledger').pool.oneFirst(sql.type(Count)`
      SELECT count(*) AS count FROM pg_stat_activity
      WHERE datname = current_database() AND wait_event_type = 'Lock'`)
  return eventually(read, (waiting) => waiting >= BigInt(count))
}

/**
 * Starts to detach a link, and holds it up at a row lock on its bank account. The returned function
 * lets it end once another statement waits.
 */
async function detaching(home: SyncedHome) {
  const { release } = await holdRow(booted.database('ledger'), home, sql.unsafe`SELECT`)
  const detached = detach(home)
  await untilAwaited(1)
  return async () => {
    await untilAwaited(2)
    await release()
    return detached
  }
}

test('an import that was decided before is refused', async () => {
  const home = await syncedHome(booted)
  const end = await detaching(home)
  const importing = refusals(home.brings(aRow()))
  expect(await end()).toMatchObject({ isChanged: true })
  expect(await importing).toEqual(['FailedPrecondition'])
  expect(await home.all()).toEqual([])
})

test('an import that is saved before is kept', async () => {
  const home = await syncedHome(booted)
  const { release } = await holdRow(booted.database('ledger'), home, sql.unsafe`SELECT`)
  const importing = refusals(home.brings(aRow()))
  await untilAwaited(1)
  const detached = detach(home)
  await untilAwaited(2)
  await release()
  expect(await importing).toEqual(['accepted'])
  expect(await detached).toMatchObject({ isChanged: true })
  expect(await home.all()).toHaveLength(1)
  expect(await rowsOf(booted, home)).toMatchObject([{ linkType: 'manual' }])
})

test('a list that was matched before changes no bank account', async () => {
  const home = await syncedHome(booted)
  const { sync, linkId, by, account } = home
  const end = await detaching(home)
  const accounts = [{ ...account, name: 'Renamed', currentBalance: 1n }]
  const listing = refusals(sync.upsertBankAccounts({ linkId, accounts }, by))
  await end()
  expect(await listing).toEqual(['FailedPrecondition'])
  expect(await shown(home)).toMatchObject({ originalName: 'Plain Checking', status: 'active' })
  expect(await home.balances()).toMatchObject({ current: 10_500n })
})

test('a complete list that was matched before deactivates no bank account', async () => {
  const home = await syncedHome(booted)
  const { sync, linkId, by } = home
  const end = await detaching(home)
  const request = { linkId, accounts: [], isComplete: true }
  const listing = refusals(sync.upsertBankAccounts(request, by))
  await end()
  expect(await listing).toEqual(['FailedPrecondition'])
  expect(await shown(home)).toMatchObject({ status: 'active' })
})

test('a bank account is created before its link is detached, or not at all', async () => {
  const home = await syncedHome(booted)
  const { sync, linkId, by } = home
  // Each of four clients repeats its call until it is refused.
  const started = Promise.withResolvers<void>()
  const clients = Array.from({ length: 4 }, async () => {
    for (let count = 0; count < 500; count++) {
      const accounts = [anAccount()]
      const [answer] = await refusals(sync.upsertBankAccounts({ linkId, accounts }, by))
      if (answer !== 'accepted') return answer
      started.resolve()
    }
    return null
  })
  await started.promise
  await detach(home)
  expect(new Set(await Promise.all(clients))).toEqual(new Set(['FailedPrecondition']))
  const rows = await rowsOf(booted, home)
  expect(rows.length).toBeGreaterThan(1)
  expect(rows.filter(({ linkType }) => linkType !== 'manual')).toEqual([])
})

test('a link that is deleted and detached at once is deleted', async () => {
  const homes = await Promise.all(Array.from({ length: 5 }, () => syncedHome(booted)))
  for (const home of homes) {
    const { links, linkId, as } = home
    const both = await refusals(links.deleteLink({ linkId }, as), detach(home))
    expect(both).toEqual(['accepted', 'accepted'])
    expect((await linkOf(home))?.deletedAt).toBeDefined()
    expect(await rowsOf(booted, home)).toEqual([])
  }
})
