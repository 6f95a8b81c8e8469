import { randomBytes } from 'node:crypto'
import type { Database } from '@coffer/kit/database/database'
import { deleteMailedLinks, insertMailedLink } from '../mail/mailed-link.sql.ts'
import { createMailedLink } from '../mail/mailed-link.ts'
import {
  disableLoginOf,
  enableLoginOf,
  expirePasswordOf,
  findLogin,
  type LoginState,
} from '../sign-in/login.sql.ts'
import { secretBytes } from '../sign-in/secret.ts'
import { endSessionsOfLogin } from '../sign-in/session.sql.ts'
import { insertBetaCode } from './beta-code.sql.ts'
import { betaCodeBytes, betaCodeExpiry, formatBetaCode, hashBetaCode } from './beta-code.ts'

/** A token that sets a new password once, and whose. */
export interface PasswordReset extends LoginState {
  token: string
  expiresAt: Date
}

/**
 * Lets somebody set a new password (`coffer login:reset-password`), for as long as a mailed link
 * would; null for no such login.
 */
export async function issuePasswordReset(
  database: Database,
  email: string,
  { now, minutes }: { now: Date; minutes: number },
): Promise<PasswordReset | null> {
  const login = await loginOf(database, email)
  if (!login) return null
  const { token, ...stored } = createMailedLink(randomBytes(secretBytes), { now, minutes })
  await insertMailedLink(database.pool, login.loginId, { ...stored, purpose: 'reset' })
  return { ...login, token, expiresAt: stored.expiresAt }
}

/**
 * Keeps a login out (`coffer login:disable`): its sessions end, its keys and what it could still
 * reset are refused. False for no such login.
 */
export async function disableLogin(database: Database, email: string, now: Date): Promise<boolean> {
  const login = await loginOf(database, email)
  if (!login) return false
  const { loginId } = login
  await database.transaction(async (tx) => {
    await disableLoginOf(tx, loginId, now)
    await deleteMailedLinks(tx, loginId, 'reset')
    await deleteMailedLinks(tx, loginId, 'verify')
    await endSessionsOfLogin(tx, loginId, { except: '' })
  })
  return true
}

/** Ends every session of a login (`coffer login:end-sessions`). False for no such login. */
export async function endSessions(database: Database, email: string): Promise<boolean> {
  const login = await loginOf(database, email)
  if (!login) return false
  await database.transaction((tx) => endSessionsOfLogin(tx, login.loginId, { except: '' }))
  return true
}

/** Lets a disabled login in again (`coffer login:enable`), with the keys it had. */
export async function enableLogin(database: Database, email: string): Promise<boolean> {
  const login = await loginOf(database, email)
  if (login) await enableLoginOf(database, login.loginId)
  return login !== null
}

/**
 * Lets nobody sign in with a login's password any more before it is changed
 * (`coffer login:expire-password`). False for no such login.
 */
export async function expirePassword(database: Database, email: string): Promise<boolean> {
  const login = await loginOf(database, email)
  if (login) await expirePasswordOf(database, login.loginId)
  return login !== null
}

/** A code that lets somebody register once, where that takes one (`coffer beta:new-code`). */
export async function issueBetaCode(
  database: Database,
  now: Date,
): Promise<{ code: string; expiresAt: Date }> {
  const code = formatBetaCode(randomBytes(betaCodeBytes))
  const expiresAt = betaCodeExpiry(now)
  await insertBetaCode(database, { codeHash: hashBetaCode(code), expiresAt })
  return { code, expiresAt }
}

function loginOf(database: Database, email: string): Promise<LoginState | null> {
  return findLogin(database, email.trim().toLowerCase())
}
