import { randomBytes } from 'node:crypto'
import type { Database } from '@coffer/kit/database'
import { disableLoginOf, findLogin, type LoginState } from './login.sql.ts'
import { deletePasswordResets, insertPasswordReset } from './password-reset.sql.ts'
import { base32, hashOf, secretBytes } from './secret.ts'
import { endSessionsOfLogin } from './session.sql.ts'

/** How long a link that sets a new password works (spec/identity.md 4.2). */
const resetLifetimeMs = 10 * 60_000

/** A token that sets a new password once, and whose. */
export interface PasswordReset extends LoginState {
  token: string
  expiresAt: Date
}

/** Lets somebody set a new password (`coffer login:reset-password`); null for no such login. */
export async function issuePasswordReset(
  database: Database,
  email: string,
  now: Date,
): Promise<PasswordReset | null> {
  const login = await findLogin(database, email.trim().toLowerCase())
  if (!login) return null
  const token = base32(randomBytes(secretBytes))
  const expiresAt = new Date(now.getTime() + resetLifetimeMs)
  await insertPasswordReset(database, login.loginId, { tokenHash: hashOf(token), now, expiresAt })
  return { ...login, token, expiresAt }
}

/**
 * Keeps a login out (`coffer login:disable`): its sessions end, its keys and what it could still
 * reset are refused. False for no such login.
 */
export async function disableLogin(database: Database, email: string, now: Date): Promise<boolean> {
  const login = await findLogin(database, email.trim().toLowerCase())
  if (!login) return false
  const { loginId } = login
  await database.transaction(async (tx) => {
    await disableLoginOf(tx, loginId, now)
    await deletePasswordResets(tx, loginId)
    await endSessionsOfLogin(tx, loginId, { except: '' })
  })
  return true
}
