import { eventually } from '@coffer/host/testing/boot'
import { booting } from '@coffer/host/testing/booting'
import { createHousehold } from '@coffer/host/testing/household'
import { changeOf, emit } from '@coffer/kit/events/changes'
import { newId } from '@coffer/kit/values/id'
import { AccountSettingsChangedSchema } from '@coffer/proto/identity/v1/events'
import { expect, test } from '@jest/globals'
import { sql } from 'slonik'
import { z } from 'zod'
import { findTimezone } from '../../src/accounts/account-settings.sql.ts'
import { ledger } from '../../src/service.ts'
import { partsOf } from '../imports/file-parts.ts'

const booted = booting([ledger])

/** Emits the event by which identity tells services that an account's settings have changed. */
function emitSettings(accountId: string, settings: { timezone: string; version: bigint }) {
  const subject = { accountId, entityId: accountId, version: settings.version }
  const message = { accountId, locale: 'en_US', ...settings }
  return booted
    .database('ledger')
    .transaction((tx) => emit(tx, changeOf(AccountSettingsChangedSchema, subject, message)))
}

const timezoneOf = (accountId: string) =>
  findTimezone(booted.database('ledger'), { accountId, bankAccountId: '' })

function timezoneBecomes(accountId: string, timezone: string) {
  return eventually(
    () => timezoneOf(accountId),
    (known) => known === timezone,
  )
}

test('the settings of the highest version are stored, in any order of events', async () => {
  const accountId = newId('acct')
  const last = newId('acct')
  expect(await timezoneOf(accountId)).toBeNull()
  await emitSettings(accountId, { timezone: 'Europe/Vienna', version: 2n })
  await timezoneBecomes(accountId, 'Europe/Vienna')
  await emitSettings(accountId, { timezone: 'Asia/Tokyo', version: 1n })
  await emitSettings(last, { timezone: 'UTC', version: 1n })
  await timezoneBecomes(last, 'UTC')
  expect(await timezoneOf(accountId)).toBe('Europe/Vienna')
})

/** Returns the version of the stored settings. */
function readVersion(accountId: string) {
  return booted.database('ledger').pool.oneFirst(sql.type(z.object({ version: z.bigint() }))`
    SELECT version FROM account_settings WHERE account_id = ${accountId}`)
}

test('the first upload stores the timezone of its caller, which no event replaces', async () => {
  const { uploads, accountId, bankAccountId, as } = await createHousehold(booted)
  const file = { name: 'a.ofx', contentType: 'application/octet-stream' }
  await uploads.createUpload(partsOf({ bankAccountId, ...file, content: Uint8Array.of(1) }), as)
  await timezoneBecomes(accountId, 'America/Chicago')
  await emitSettings(accountId, { timezone: 'Europe/Vienna', version: 1n })
  const stored = () => readVersion(accountId)
  await eventually(stored, (version) => version === 1n)
  expect(await timezoneOf(accountId)).toBe('America/Chicago')
})
