import { type Booted, boot, eventually } from '@coffer/host/testing/boot'
import { markDeleted } from '@coffer/kit/accounts/account-removal.sql'
import { ledger } from '@coffer/ledger/service'
import { ScheduledService } from '@coffer/proto/ledger/v1/scheduled'
import { Code } from '@connectrpc/connect'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { sql } from 'slonik'
import { z } from 'zod'
import { budgeting } from '../../src/service.ts'
import { removePlansOf } from '../../src/tenancy/removal.activities.ts'
import { advanceOnly, createSeptember, depsOf, type Funded, shown } from '../advancing.ts'
import { type Backups, comparePlans, createBackups, findings } from './backup.ts'

const stack = new AsyncDisposableStack()
let booted: Booted
let backups: Backups

beforeAll(async () => {
  booted = stack.use(await boot([ledger, budgeting]))
  backups = stack.use(await createBackups(booted))
})

afterAll(async () => {
  await stack.disposeAsync()
})

const differs = 'an ended bank account is ended in the ledger'

/** Returns the reason of the tombstone of a household's bank account; null without a tombstone. */
function endedAs({ bankAccountId }: Funded): Promise<string | null> {
  const { pool } = booted.database('budgeting')
  return pool.maybeOneFirst(sql.type(z.object({ reason: z.string() }))`
    SELECT reason FROM ended_bank_accounts WHERE bank_account_id = ${bankAccountId}`)
}

/** Creates a household whose rent has been funded once, by a funding run. */
async function createFunded(): Promise<Funded> {
  const home = await createSeptember(booted)
  await home.expense(home.fundingScheduleId, { name: 'rent', targetAmount: 6_000n })
  await advanceOnly(booted, home, new Date('2023-10-13T06:00Z'))
  expect((await shown(home)).rent?.[0]).toBeGreaterThan(0n)
  return home
}

/** Deletes the link and waits for the end of its clean-up. */
async function deleteLink({ links, linkId, as }: Funded): Promise<void> {
  await links.deleteLink({ linkId }, as)
  await eventually(
    () =>
      booted.database('ledger').pool.exists(sql.unsafe`
        SELECT FROM links WHERE link_id = ${linkId} AND cleaned_at IS NOT NULL`),
    (isCleaned) => isCleaned,
  )
}

/** Removes the plans, as the clean-up of a link does. */
function removePlans(home: Funded): Promise<void> {
  return removePlansOf(depsOf(booted), home)
}

test('a bank account whose link was deleted after the backup takes plans again', async () => {
  const home = await createFunded()
  const other = await createFunded()
  await backups.create('with_link')
  await deleteLink(home)
  await deleteLink(other)
  expect(await findings(booted)).toEqual([])
  await comparePlans(booted)
  expect(await endedAs(home)).toBe('removed')

  await backups.restore('with_link')
  expect((await findings(booted)).map(({ rule }) => rule)).toEqual([differs, differs])
  booted.clock.now = new Date('2023-10-14T06:00Z')
  await Promise.all([comparePlans(booted), comparePlans(booted)])
  expect(await endedAs(home)).toBeNull()
  expect(await findings(booted)).toEqual([])
  // The plans were deleted, so the money of their envelopes is free-to-use again.
  expect(await home.list()).toEqual([])
  expect(await home.balances()).toMatchObject({ expenses: 0n, goals: 0n })

  const { fundingScheduleId } = await home.pay({ name: 'Pay again' })
  await home.expense(fundingScheduleId, { name: 'rent' })
  await advanceOnly(booted, home, new Date('2023-11-15T12:00Z'))
  expect((await shown(home)).rent?.[0]).toBeGreaterThan(0n)
  await comparePlans(booted)
  expect(await findings(booted)).toEqual([])
  await deleteLink(home)
  await comparePlans(booted)
  expect(await endedAs(home)).toBe('removed')
  expect(await findings(booted)).toEqual([])
})

test('plans of an archived bank account resume once it is restored', async () => {
  const home = await createFunded()
  const { bankAccountId, accounts, as } = home
  const [held] = (await shown(home)).rent ?? []
  await accounts.archiveBankAccount({ bankAccountId }, as)
  await advanceOnly(booted, home, new Date('2023-11-15T12:00Z'))
  expect(await endedAs(home)).toBe('archived')
  await accounts.restoreBankAccount({ bankAccountId }, as)
  await comparePlans(booted)
  expect(await endedAs(home)).toBeNull()
  await advanceOnly(booted, home, new Date('2023-11-15T12:00Z'))
  expect((await shown(home)).rent?.[0]).not.toBe(held)
})

test('plans resume when a ledger that was restored too far back is restored again', async () => {
  await backups.create('too_early')
  const home = await createFunded()
  const archived = await createFunded()
  const before = await shown(home)
  await backups.create('correct')
  const { bankAccountId, as } = archived
  await archived.accounts.archiveBankAccount({ bankAccountId }, as)
  await comparePlans(booted)
  expect(await endedAs(archived)).toBe('archived')

  await backups.restore('too_early')
  await comparePlans(booted)
  expect(await endedAs(home)).toBe('removed')
  await backups.restore('correct')
  expect((await findings(booted)).map(({ rule }) => rule)).toEqual([differs, differs])
  await comparePlans(booted)
  expect([await endedAs(home), await endedAs(archived)]).toEqual([null, null])
  expect(await findings(booted)).toEqual([])
  expect(await shown(home)).toEqual(before)
  await advanceOnly(booted, home, new Date('2023-11-15T12:00Z'))
  expect((await shown(home)).rent?.[0]).toBeGreaterThan(before.rent?.[0] ?? 0n)
  expect(await findings(booted)).toEqual([])
})

test('a link that is deleted while the comparison runs stays deleted', async () => {
  const home = await createFunded()
  await backups.create('with_link')
  await deleteLink(home)
  await backups.restore('with_link')
  const deps = depsOf(booted)
  const scheduled = deps.mesh.client('ledger', ScheduledService)
  let isRemoved = false
  // The plans are removed before the comparison receives the ledger's first answer.
  const outdated: typeof scheduled.lookUp = async (request, options) => {
    const answer = await scheduled.lookUp(request, options)
    if (!isRemoved) await removePlans(home)
    isRemoved = true
    return answer
  }
  const client: typeof deps.mesh.client = (name, service) => {
    const real = deps.mesh.client(name, service)
    return Object.is(service, ScheduledService) ? { ...real, lookUp: outdated } : real
  }
  await comparePlans(booted, { ...deps, mesh: { ...deps.mesh, client } })
  expect(await endedAs(home)).toBe('removed')
  await expect(home.pay({ name: 'Late' })).rejects.toMatchObject({ code: Code.NotFound })
  await comparePlans(booted)
  expect(await endedAs(home)).toBeNull()
})

test('a bank account of a deleted account stays removed', async () => {
  const home = await createFunded()
  await removePlans(home)
  await markDeleted(booted.database('budgeting'), home.accountId)
  await comparePlans(booted)
  expect(await endedAs(home)).toBe('removed')
})
