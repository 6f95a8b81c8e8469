import { randomBytes } from 'node:crypto'
import type { Database } from '@coffer/kit/database/database'
import { emitAccountSettings, listAccounts } from '../book/account.sql.ts'
import {
  disableLoginOf,
  enableLoginOf,
  expirePasswordOf,
  findLogin,
  type LoginState,
  lockLogin,
} from '../book/login.sql.ts'
import { secretBytes } from '../book/secret.ts'
import { endSessionsOfLogin } from '../book/session.sql.ts'
import type { IdentityDeps } from '../deps.ts'
import { notifyOwner } from '../mail/mail-request.service.ts'
import { deleteMailedLinks, insertMailedLink } from '../mail/mailed-link.sql.ts'
import { createMailedLink } from '../mail/mailed-link.ts'
import { deleteAuthenticator, hasAuthenticator } from '../second-factor/authenticator.sql.ts'
import { unlockCodes } from '../second-factor/code-attempt.sql.ts'
import { insertBetaCode } from '../sign-in/beta-code.sql.ts'
import { betaCodeBytes, createBetaCode, hashBetaCode } from '../sign-in/beta-code.ts'

// Number of accounts whose settings are emitted in one transaction.
const restatedAtOnce = 500

/** A password reset token, its expiry, and the login whose password it resets. */
export interface PasswordReset extends LoginState {
  token: string
  expiresAt: Date
}

/** Returns a one-time reset token (`coffer login:reset-password`); null for an unknown address. */
export async function issuePasswordReset(
  database: Database,
  email: string,
  { now, minutes }: { now: Date; minutes: number },
): Promise<PasswordReset | null> {
  const login = await loginOf(database, email)
  if (!login) return null
  const { token, ...stored } = createMailedLink(randomBytes(secretBytes), { now, minutes })
  const link = { ...stored, purpose: 'reset', unlocksCodes: true } as const
  await insertMailedLink(database.pool, login.loginId, link)
  return { ...login, token, expiresAt: stored.expiresAt }
}

/** Disables a login and its sessions (`coffer login:disable`); false for an unknown address. */
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

/** Ends all sessions of a login (`coffer login:end-sessions`); false for an unknown address. */
export async function endSessions(database: Database, email: string): Promise<boolean> {
  const login = await loginOf(database, email)
  if (!login) return false
  await database.transaction((tx) => endSessionsOfLogin(tx, login.loginId, { except: '' }))
  return true
}

/**
 * Removes the authenticator and the recovery codes of a login, ends its sessions, and mails its
 * owner (`coffer login:reset-second-factor`). Returns whether it had a second factor; null for an
 * unknown address.
 */
export async function resetSecondFactor(
  { database, config, clock }: Pick<IdentityDeps, 'database' | 'config' | 'clock'>,
  email: string,
): Promise<{ hadFactor: boolean } | null> {
  const login = await loginOf(database, email)
  if (!login) return null
  const { loginId } = login
  return database.transaction(async (tx) => {
    await lockLogin(tx, loginId)
    const hadFactor = await hasAuthenticator(tx, loginId)
    await deleteAuthenticator(tx, loginId)
    await unlockCodes(tx, loginId)
    await endSessionsOfLogin(tx, loginId, { except: '' })
    const notice = { kind: 'authenticator-disabled', email: login.email } as const
    if (hadFactor) await notifyOwner({ config, clock }, tx, notice)
    return { hadFactor }
  })
}

/** Enables a disabled login (`coffer login:enable`); returns false for an unknown address. */
export async function enableLogin(database: Database, email: string): Promise<boolean> {
  const login = await loginOf(database, email)
  if (login) await enableLoginOf(database, login.loginId)
  return login !== null
}

/** Expires a password (`coffer login:expire-password`); returns false for an unknown address. */
export async function expirePassword(database: Database, email: string): Promise<boolean> {
  const login = await loginOf(database, email)
  if (login) await expirePasswordOf(database, login.loginId)
  return login !== null
}

/** Creates a beta code for one registration (`coffer beta:new-code`); only its hash is stored. */
export async function issueBetaCode(
  database: Database,
  now: Date,
): Promise<{ code: string; expiresAt: Date }> {
  const { code, expiresAt } = createBetaCode(randomBytes(betaCodeBytes), now)
  await insertBetaCode(database, { codeHash: hashBetaCode(code), expiresAt })
  return { code, expiresAt }
}

/**
 * Emits the settings of every account again, at their versions (`coffer replay`), for consumers
 * that missed changes (docs/events.md#keeping-and-replay). Returns the number of accounts.
 */
export async function restateAccounts(
  database: Database,
  billing: { billed: boolean },
): Promise<number> {
  let restated = 0
  let after = ''
  for (;;) {
    const page = await listAccounts(database, after, restatedAtOnce)
    const last = page.at(-1)
    if (last === undefined) return restated
    await database.transaction((tx) => emitAccountSettings(tx, page, { ...billing, isKnown: true }))
    restated += page.length
    after = last.accountId
  }
}

function loginOf(database: Database, email: string): Promise<LoginState | null> {
  return findLogin(database, email.trim().toLowerCase())
}
