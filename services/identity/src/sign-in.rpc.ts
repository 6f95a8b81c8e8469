import { randomBytes } from 'node:crypto'
import type { Database } from '@coffer/kit/database'
import { invalid, refused, unauthenticated } from '@coffer/kit/errors'
import { newId } from '@coffer/kit/id'
import type { SignInService } from '@coffer/proto/identity/v1/sign_in'
import type { ServiceImpl } from '@connectrpc/connect'
import { findSignIns } from './login.sql.ts'
import { credentialProblems } from './login.ts'
import { hashOf, secretBytes } from './secret.ts'
import type { IdentityDeps } from './service.ts'
import { deleteSession, insertSession } from './session.sql.ts'
import { newSession } from './session.ts'
import { admitAttempt, forgetAttempts } from './sign-in-attempt.sql.ts'
import { isAccountActive } from './standing.rpc.ts'

const minuteMs = 60_000

/** Signing in with a password, and out (spec/interface.md, POST login, GET logout). */
export function signIn(
  deps: IdentityDeps,
): Pick<ServiceImpl<typeof SignInService>, 'login' | 'logout'> {
  const { config, database, passwords, clock } = deps
  return {
    login: async (request) => {
      const email = request.email.trim()
      const password = request.password.trim()
      const problems = credentialProblems({ email, password })
      if (problems) throw invalid(problems)
      const now = clock()
      const subjectHash = hashOf(email)
      const max = config.signInLimitPerMinute
      await admitAttempt(database, { subjectHash, now, max, windowMs: minuteMs })
      const user = await verifyPassword(database, passwords, { email, password })
      const isPending = user.hasAuthenticator
      const origin = { bytes: randomBytes(secretBytes), sessionId: newId('sess'), isPending }
      const { token, session } = newSession(origin, user, now)
      await database.transaction(async (tx) => {
        await insertSession(tx, session)
        await forgetAttempts(tx, subjectHash)
      })
      const isActive = await isAccountActive(deps, user.accountId)
      return { sessionToken: token, isActive, mfaRequired: isPending }
    },
    logout: async ({ sessionToken }) => {
      await deleteSession(database, hashOf(sessionToken))
      return {}
    },
  }
}

/**
 * The user who signs in. An unknown address, a wrong password and a disabled login are one error,
 * after the same time.
 */
async function verifyPassword(
  database: Database,
  passwords: IdentityDeps['passwords'],
  { email, password }: { email: string; password: string },
): Promise<{ accountId: string; userId: string; hasAuthenticator: boolean }> {
  const [first, ...others] = await findSignIns(database, email)
  const hash = first && !first.isDisabled ? first.passwordHash : null
  if (!(await passwords.matches(password, hash)) || !first) {
    throw unauthenticated('wrong email or password')
  }
  if (others.length > 0) throw refused('this login has several accounts, which is not supported')
  const { accountId, userId, hasAuthenticator } = first
  if (accountId === null || userId === null) throw new Error('a login is a user of no account')
  return { accountId, userId, hasAuthenticator }
}
