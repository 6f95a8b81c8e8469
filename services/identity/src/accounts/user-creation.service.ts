import { randomBytes } from 'node:crypto'
import { invalid } from '@coffer/kit/rpc/errors'
import { isEmailTaken, setEmailVerified } from '../book/login.sql.ts'
import { emailInUse } from '../book/login.ts'
import { base32, secretBytes } from '../book/secret.ts'
import type { IdentityDeps } from '../deps.ts'
import { insertMailedLink } from '../mail/mailed-link.sql.ts'
import { createMailedLink } from '../mail/mailed-link.ts'
import { createOwner } from '../sign-in/new-owner.ts'
import { insertRegistration } from '../sign-in/registration.sql.ts'
import { findPersonProblems, type NewPerson } from '../sign-in/registration.ts'

/** The account of a created user, and the one-time token that sets the first password. */
export interface CreatedUser {
  accountId: string
  token: string
  expiresAt: Date
}

/**
 * Creates login, account and owner for an operator (`coffer user:create`). The address counts as
 * verified, because the operator states it. The password is random until the user sets one with the
 * returned token, valid for `COFFER_VERIFY_LINK_MINUTES`. Throws invalid for a malformed value, and
 * refused (428) for an address in use.
 */
export async function createUser(
  deps: Pick<IdentityDeps, 'config' | 'database' | 'passwords' | 'clock'>,
  person: NewPerson,
): Promise<CreatedUser> {
  const { config, database, passwords } = deps
  const email = person.email.trim().toLowerCase()
  const problems = findPersonProblems({ ...person, email })
  if (problems) throw invalid(problems)
  const now = deps.clock()
  const row = createOwner({ ...person, email }, config, now)
  const passwordHash = await passwords.hash(base32(randomBytes(secretBytes)))
  const lifetime = { now, minutes: config.verifyLinkMinutes }
  const { token, ...stored } = createMailedLink(randomBytes(secretBytes), lifetime)
  try {
    await database.transaction(async (tx) => {
      await insertRegistration(tx, row, { passwordHash, verifyBy: null, billed: config.billed })
      await setEmailVerified(tx, row.loginId, now)
      const link = { ...stored, purpose: 'reset', unlocksCodes: true } as const
      await insertMailedLink(tx, row.loginId, link)
    })
  } catch (error) {
    throw isEmailTaken(error) ? emailInUse() : error
  }
  return { accountId: row.accountId, token, expiresAt: stored.expiresAt }
}
