import { untilLockAwaited } from '@coffer/host/testing/boot'
import { newId } from '@coffer/kit/values/id'
import { expect, test } from '@jest/globals'
import { sql } from 'slonik'
import { lockLogin, setPendingEmail } from '../src/book/login.sql.ts'
import { hashOf } from '../src/book/secret.ts'
import {
  consumeChangeLink,
  consumeMailedLink,
  insertMailedLink,
} from '../src/mail/mailed-link.sql.ts'
import { bootingIdentity, newcomer, register } from './household.ts'

const booted = bootingIdentity()

test.each([
  ['reset', consumeMailedLink],
  ['verify', consumeMailedLink],
  ['change', consumeChangeLink],
] as const)('a link to %s is consumed after its login is locked', async (purpose, consume) => {
  const { loginId } = (await register(booted)).user
  const { email } = newcomer()
  const database = booted.database('identity')
  const shown = { tokenHash: hashOf(newId('token')), purpose, now: new Date() }
  const expiresAt = new Date(Date.now() + 60_000)
  const link = { ...shown, expiresAt, unlocksCodes: false, email }
  await insertMailedLink(database.pool, loginId, link)
  await database.transaction((tx) => setPendingEmail(tx, loginId, email))
  const { consuming } = await database.transaction(async (tx) => {
    await lockLogin(tx, loginId)
    const consuming = database.transaction<object | null>((other) => consume(other, shown))
    await untilLockAwaited(database)
    // Deadlock avoidance: the link is not locked by the transaction that waits for its login.
    await tx.query(sql.unsafe`
      SELECT FROM link_tokens WHERE login_id = ${loginId} FOR UPDATE NOWAIT`)
    return { consuming }
  })
  expect(await consuming).toMatchObject({ loginId })
})
