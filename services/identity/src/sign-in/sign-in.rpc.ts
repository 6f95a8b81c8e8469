import { randomBytes } from 'node:crypto'
import type { MessageInitShape } from '@bufbuild/protobuf'
import type { Transaction } from '@coffer/kit/database/database'
import { say } from '@coffer/kit/reasons/reasons'
import { invalid, refused, unauthenticated } from '@coffer/kit/rpc/errors'
import { newId } from '@coffer/kit/values/id'
import type {
  LoginRequest,
  LoginResponseSchema,
  SignInService,
} from '@coffer/proto/identity/v1/sign_in'
import type { ServiceImpl } from '@connectrpc/connect'
import { clearVerifyDeadline, findSignIns, lockLogin, type SignIn } from '../book/login.sql.ts'
import { isAccountActive } from '../book/paid-up.service.ts'
import { hashOf, secretBytes } from '../book/secret.ts'
import { deleteSession, insertSession } from '../book/session.sql.ts'
import { newSession } from '../book/session.ts'
import { admitAttempt, deleteAttempts } from '../book/sign-in-attempt.sql.ts'
import type { IdentityDeps } from '../deps.ts'
import { featuresOf } from '../features.ts'
import { insertMailedLink } from '../mail/mailed-link.sql.ts'
import { createMailedLink } from '../mail/mailed-link.ts'
import { consumeProofOfWork } from '../proof-of-work/proof-of-work.service.ts'
import { hasAuthenticator } from '../second-factor/authenticator.sql.ts'
import { findCredentialProblems } from './registration.ts'

const minuteMs = 60_000

// Lifetime of the reset token that a sign-in with an expired password returns.
const changeMinutes = 5

/** Returns the RPCs that sign in with a password and sign out (docs/sign-in.md#signing-in). */
export function signIn(
  deps: IdentityDeps,
): Pick<ServiceImpl<typeof SignInService>, 'login' | 'logout'> {
  const { database, passwords } = deps
  return {
    login: async (request, context) => {
      const email = request.email.trim()
      const password = request.password.trim()
      const problems = findCredentialProblems({ email, password })
      if (problems) throw invalid(problems)
      passwords.requireRoom()
      return logIn(deps, { ...request, email, password }, context.signal)
    },
    logout: async ({ sessionToken }) => {
      await deleteSession(database.pool, hashOf(sessionToken))
      return {}
    },
  }
}

async function logIn(
  deps: IdentityDeps,
  { email, password, proofOfWork, formerSessionToken, ...device }: LoginRequest,
  signal: AbortSignal,
): Promise<MessageInitShape<typeof LoginResponseSchema>> {
  const { config, database, clock } = deps
  await consumeProofOfWork(deps, 'login', proofOfWork)
  const now = clock()
  const subjectHash = hashOf(email)
  const max = config.signInLimitPerMinute
  await admitAttempt(database.pool, { subjectHash, now, max, windowMs: minuteMs })
  const [first, ...others] = await findSignIns(database, email)
  const hash = first && !first.isDisabled ? first.passwordHash : null
  const isRight = await deps.passwords.matches(password, hash, signal)
  // No account enumeration: unknown address, disabled login and wrong password get the same error.
  if (!isRight || !first) throw wrongCredentials()
  if (first.isPasswordExpired || !first.isEmailVerified) {
    const owed = await requireReadyLogin(deps, first, { subjectHash, now })
    if (owed) return owed
  }
  if (others.length > 0) throw refused(say('SEVERAL_ACCOUNTS'))
  const { accountId, userId } = first
  if (accountId === null || userId === null) throw new Error('a login is a user of no account')
  const isActive = await isAccountActive(deps, accountId)
  const begun = await database.transaction(async (tx) => {
    const origin = { deviceName: device.deviceName, isForeign: device.isForeignDevice }
    const session = await beginSession(tx, first, { accountId, userId, ...origin, now })
    await deleteSession(tx, hashOf(formerSessionToken))
    await deleteAttempts(tx, subjectHash)
    return session
  })
  return { ...begun, isActive }
}

interface Beginning {
  accountId: string
  userId: string
  deviceName: string
  isForeign: boolean
  now: Date
}

/** Begins a session under the login's lock; it is pending if the login has an authenticator. */
async function beginSession(
  tx: Transaction,
  known: SignIn,
  { deviceName, isForeign, now, ...owner }: Beginning,
): Promise<{ sessionToken: string; mfaRequired: boolean }> {
  await lockUnchangedPassword(tx, known)
  if (known.isToVerify) await clearVerifyDeadline(tx, known.loginId)
  const isPending = await hasAuthenticator(tx, known.loginId)
  const bytes = randomBytes(secretBytes)
  const origin = { bytes, sessionId: newId('sess'), isPending, deviceName, isForeign }
  const { token, session } = newSession(origin, owner, now)
  await insertSession(tx, session)
  return { sessionToken: token, mfaRequired: isPending }
}

/**
 * Locks the login. Throws unauthenticated if the password has changed since it was verified: the
 * change has ended all sessions, and must end this one too.
 */
async function lockUnchangedPassword(
  tx: Transaction,
  { loginId, passwordHash }: SignIn,
): Promise<void> {
  if ((await lockLogin(tx, loginId)) !== passwordHash) throw wrongCredentials()
}

function wrongCredentials(): Error {
  return unauthenticated('WRONG_CREDENTIALS')
}

/**
 * Returns a reset token if the password has expired; null if the login may sign in. Throws refused:
 * 428 for an unverified address; 406 for an expired password if resets are off.
 */
async function requireReadyLogin(
  { config, database }: IdentityDeps,
  known: SignIn,
  { subjectHash, now }: { subjectHash: Buffer; now: Date },
): Promise<{ resetToken: string } | null> {
  const { loginId, isEmailVerified, isPasswordExpired } = known
  const { verifyEmailAddress, allowForgotPassword } = featuresOf(config)
  if (verifyEmailAddress && !isEmailVerified) {
    await database.transaction((tx) => deleteAttempts(tx, subjectHash))
    const text = say('EMAIL_NOT_VERIFIED')
    throw refused(text, { code: 'EMAIL_NOT_VERIFIED', status: 428 })
  }
  if (!isPasswordExpired) return null
  if (!allowForgotPassword) {
    const text = say('PASSWORD_EXPIRED')
    throw refused(text, { status: 406 })
  }
  const origin = { now, minutes: changeMinutes }
  const { token: resetToken, ...stored } = createMailedLink(randomBytes(secretBytes), origin)
  await database.transaction(async (tx) => {
    await lockUnchangedPassword(tx, known)
    const link = { ...stored, purpose: 'reset', unlocksCodes: false } as const
    await insertMailedLink(tx, loginId, link)
    await deleteAttempts(tx, subjectHash)
  })
  return { resetToken }
}
