import { fromBinary } from '@bufbuild/protobuf'
import { timestampDate } from '@bufbuild/protobuf/wkt'
import { createLog } from '@coffer/host/logger'
import { readSettings } from '@coffer/host/settings'
import { AccountSettingsChangedSchema } from '@coffer/proto/identity/v1/events'
import { expect, test } from '@jest/globals'
import { sql } from 'slonik'
import { z } from 'zod'
import { sweepActivities } from '../src/accounts/sweep.activities.ts'
import { listUnverified, removeUnverified } from '../src/accounts/sweep.sql.ts'
import { emitBillingSwitch } from '../src/billing/billing-sweep.sql.ts'
import { setEmailVerified } from '../src/book/login.sql.ts'
import { settings } from '../src/config.ts'
import { bootingIdentity, register } from './household.ts'

const booted = bootingIdentity()

const now = new Date('2026-03-01T12:00:00Z')

const pool = () => booted.database('identity').pool
const activity = (name: string, ...args: unknown[]) =>
  booted.host.services.identity?.activities?.[name]?.(...args)

/** Tables with rows that expire, and the column of that instant. */
const expiring = {
  sessions: 'expires_at',
  link_tokens: 'expires_at',
  spent_challenges: 'expires_at',
  beta_codes: 'expires_at',
  sign_in_attempts: 'ends_at',
  network_attempts: 'ends_at',
  request_budgets: 'ends_at',
}

/** Returns two numbers for each table: rows that have expired at `now`, and rows that have not. */
async function rows() {
  const Counts = z.object({ expired: z.bigint(), live: z.bigint() })
  const counts = Object.entries(expiring).map(async ([table, column]) => {
    const expired = sql.fragment`${sql.identifier([column])} <= ${sql.timestamp(now)}`
    const { expired: gone, live } = await pool().one(sql.type(Counts)`
      SELECT count(*) FILTER (WHERE ${expired}) AS expired,
        count(*) FILTER (WHERE NOT ${expired}) AS live
      FROM ${sql.identifier([table])}`)
    return [table, [gone, live]]
  })
  return Object.fromEntries(await Promise.all(counts))
}

test('expired rows are removed in bounded steps, others stay', async () => {
  booted.clock.now = now
  const ann = await register(booted)
  await pool().query(sql.unsafe`
    INSERT INTO sessions (account_id, user_id, session_id, token_hash, is_pending, created_at,
      last_used_at, expires_at)
    SELECT ${ann.accountId}, ${ann.user.userId}, 'sess_' || n, sha256(n::text::bytea), false,
      ${sql.timestamp(now)}, ${sql.timestamp(now)}, ${sql.timestamp(now)}
    FROM generate_series(1, 1500) AS n`)
  for (const [table, column, key] of [
    ['spent_challenges', 'expires_at', 'challenge_hash'],
    ['beta_codes', 'expires_at', 'code_hash'],
  ] as const) {
    await pool().query(sql.unsafe`
      INSERT INTO ${sql.identifier([table])}
        (${sql.identifier([key])}, ${sql.identifier([column])})
      VALUES ('a', ${sql.timestamp(now)}), ('b', ${sql.timestamp(new Date(now.getTime() + 1))})`)
  }
  await pool().query(sql.unsafe`
    INSERT INTO link_tokens (token_hash, login_id, scope, expires_at)
    VALUES ('a', ${ann.user.loginId}, 'verify', ${sql.timestamp(now)}),
      ('b', ${ann.user.loginId}, 'reset', ${sql.timestamp(new Date(now.getTime() + 1))})`)
  await pool().query(sql.unsafe`
    INSERT INTO sign_in_attempts (subject_hash, attempts, ends_at)
    VALUES ('a', 1, ${sql.timestamp(now)}),
      ('b', 1, ${sql.timestamp(new Date(now.getTime() + 1))})`)
  await pool().query(sql.unsafe`
    INSERT INTO network_attempts (network_hash, attempts, ends_at)
    VALUES ('a', 1, ${sql.timestamp(now)}),
      ('b', 1, ${sql.timestamp(new Date(now.getTime() + 1))})`)
  await pool().query(sql.unsafe`
    INSERT INTO request_budgets (account_id, api_key_id, spent, ends_at)
    VALUES (${ann.accountId}, '', 1, ${sql.timestamp(now)}),
      (${ann.accountId}, 'key_1', 1, ${sql.timestamp(new Date(now.getTime() + 1))})`)
  expect((await rows()).sessions).toEqual([1500n, 1n])

  expect(await activity('removeExpired')).toBe(false)
  expect((await rows()).sessions).toEqual([500n, 1n])
  expect(await activity('removeExpired')).toBe(true)
  const left = Object.keys(expiring).map((table) => [table, [0n, 1n]])
  expect(await rows()).toEqual(Object.fromEntries(left))
})

test('settings are emitted once after billing is switched off or on', async () => {
  const ann = await register(booted)
  const never = await register(booted)
  await pool().query(sql.unsafe`
    UPDATE accounts SET trial_ends_at = ${sql.timestamp(now)} WHERE account_id = ${ann.accountId}`)
  const told = async (accountId: string) => {
    const payloads = await pool().any(sql.type(z.object({ payload: z.instanceof(Buffer) }))`
      SELECT payload FROM changes
      WHERE account_id = ${accountId} AND type LIKE '%.AccountSettingsChanged'
      ORDER BY change_id`)
    return payloads.slice(1).map(({ payload }) => {
      const { version, subscriptionActiveUntil: until } = fromBinary(
        AccountSettingsChangedSchema,
        payload,
      )
      return [version, until ? timestampDate(until) : null]
    })
  }
  expect(await activity('tellOfBilling')).toBe(true)
  expect(await activity('tellOfBilling')).toBe(true)
  expect(await told(ann.accountId)).toEqual([[2n, null]])
  const on = { billed: true, now, limit: 10 }
  const database = booted.database('identity')
  expect(await emitBillingSwitch(database, on)).toBe(1)
  expect(await emitBillingSwitch(database, on)).toBe(0)
  expect(await told(ann.accountId)).toEqual([
    [2n, null],
    [3n, now],
  ])
  expect(await told(never.accountId)).toEqual([])
})

test('accounts with an address not verified in time are deleted, once', async () => {
  const all = await Promise.all([1, 2, 3, 4].map(() => register(booted)))
  const [late, later, linked, verified] = all.map(({ accountId, user }) => ({
    accountId,
    loginId: user.loginId,
  }))
  if (!late || !later || !linked || !verified) throw new Error('not registered')
  const soon = new Date(now.getTime() + 1)
  for (const { loginId } of [late, later, linked, verified]) {
    await pool().query(sql.unsafe`
      UPDATE logins SET verify_by = ${sql.timestamp(loginId === later.loginId ? soon : now)}
      WHERE login_id = ${loginId}`)
  }
  await pool().query(sql.unsafe`
    INSERT INTO link_tokens (token_hash, login_id, scope, expires_at)
    VALUES ('c', ${linked.loginId}, 'verify', ${sql.timestamp(soon)})`)
  const database = booted.database('identity')
  expect(new Set(await listUnverified(database, now, 10))).toEqual(new Set([late, verified]))
  expect(await listUnverified(database, now, 1)).toHaveLength(1)
  await database.transaction(async (tx) => {
    await setEmailVerified(tx, verified.loginId, now)
    // Simulates a sweep that listed the login before the login's address was verified.
    await removeUnverified(tx, verified, now)
  })

  const config = readSettings(settings, {
    COFFER_SMTP_URL: 'smtp://127.0.0.1',
    COFFER_EMAIL_VERIFICATION_ENABLED: 'true',
  })
  const { workflows } = booted
  const log = createLog({ level: 'silent', name: 'test' })
  booted.clock.now = now
  const sweep = sweepActivities({ config, database, workflows, log })
  await sweep.removeUnverified()
  await sweep.removeUnverified()
  const requested = sql.type(z.object({ accountId: z.string() }))`
    SELECT account_id AS "accountId" FROM changes WHERE type LIKE '%.AccountDeletionRequested'`
  expect(await pool().anyFirst(requested)).toEqual([late.accountId])
  expect(await database.transaction((tx) => setEmailVerified(tx, late.loginId, now))).toBe(false)
})

test('a mail that was not sent within a day is dropped', async () => {
  booted.clock.now = now
  const ago = (hours: number) => sql.timestamp(new Date(now.getTime() - hours * 3_600_000))
  await pool().query(sql.unsafe`
    INSERT INTO mails (mail_id, kind, email, created_at)
    VALUES ('mail_1', 'verify-email', 'a@example.com', ${ago(26)})`)
  expect(await activity('restartMails', '')).toBeNull()
  expect(await pool().exists(sql.unsafe`SELECT FROM mails`)).toBe(false)
})
