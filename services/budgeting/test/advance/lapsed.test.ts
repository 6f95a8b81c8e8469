import { eventually } from '@coffer/host/testing/boot'
import { booting } from '@coffer/host/testing/booting'
import { changeOf, emit } from '@coffer/kit/events/changes'
import { ledger } from '@coffer/ledger/service'
import { AccountSettingsChangedSchema } from '@coffer/proto/identity/v1/events'
import { expect, test } from '@jest/globals'
import { listDue } from '../../src/advance/advance.sql.ts'
import { budgeting } from '../../src/service.ts'
import { advance, createSeptember, shown } from '../advancing.ts'
import { at } from '../household.ts'
import { chicago } from '../samples.ts'

const booted = booting([ledger, budgeting])

const payday = '2023-10-13T06:00Z'

/** Publishes identity's event of changed settings; `until` is the end of the subscription. */
function subscribe(accountId: string, version: bigint, until?: string) {
  const paid = until === undefined ? {} : { subscriptionActiveUntil: at(until) }
  const settings = { accountId, timezone: chicago, locale: 'en_US', version, ...paid }
  const change = changeOf(
    AccountSettingsChangedSchema,
    { accountId, entityId: accountId, version },
    settings,
  )
  return booted.database('ledger').transaction((tx) => emit(tx, change))
}

/** Waits until `count` due dates are listed as of payday. */
function untilDue(count: number) {
  const page = { now: new Date(payday), after: null, limit: 10 }
  return eventually(
    () => listDue(booted.database('budgeting'), page),
    (due) => due.length === count,
  )
}

test('a lapsed account is not advanced, and catches up after it is paid for', async () => {
  const home = await createSeptember(booted)
  await home.expense(home.fundingScheduleId, { name: 'Rent' })
  expect(await untilDue(1)).toHaveLength(1)
  await subscribe(home.accountId, 2n, '2023-10-13T05:59:59Z')
  await untilDue(0)
  await advance(booted, payday)
  expect((await shown(home)).Rent?.[0]).toBe(0n)
  await subscribe(home.accountId, 3n, '2023-11-13T00:00Z')
  await untilDue(1)
  await advance(booted, payday)
  expect((await shown(home)).Rent?.[0]).toBeGreaterThan(0n)
})

test('a server without billing has no lapsed accounts', async () => {
  const home = await createSeptember(booted)
  await subscribe(home.accountId, 2n, '2023-10-01T00:00Z')
  await untilDue(0)
  await subscribe(home.accountId, 3n)
  expect(await untilDue(1)).toEqual([
    expect.objectContaining({ accountId: home.accountId, bankAccountId: home.bankAccountId }),
  ])
})
