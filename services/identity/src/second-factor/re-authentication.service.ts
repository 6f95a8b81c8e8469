import type { Transaction } from '@coffer/kit/database/database'
import { say } from '@coffer/kit/reasons/reasons'
import type { Caller } from '@coffer/kit/rpc/caller'
import { refused } from '@coffer/kit/rpc/errors'
import type { Proof as ReAuthentication } from '@coffer/proto/identity/v1/proof'
import { findPasswordHash, getPerson, lockLogin } from '../book/login.sql.ts'
import { hashOf } from '../book/secret.ts'
import { findSessionStart } from '../book/session.sql.ts'
import { isRecent } from '../book/session.ts'
import { admitAttempt, deleteAttempts } from '../book/sign-in-attempt.sql.ts'
import type { IdentityDeps } from '../deps.ts'
import { notifyOwner } from '../mail/mail-request.service.ts'
import {
  consumeRecoveryCode,
  consumeTimeStep,
  findAuthenticator,
  hasRecoveryCode,
} from './authenticator.sql.ts'
import { countCode, deleteCodeAttempts } from './code-attempt.sql.ts'
import { type CodeAttempts, type CodePurpose, noticeOf, requireAdmitted } from './code-limit.ts'
import { hashRecoveryCode } from './recovery-code.ts'
import { acceptedStep } from './totp.ts'

// Rate limit of the passwords of a login, and of the codes that confirm an authenticator.
const limit = { max: 5, windowMs: 15 * 60_000 }

/**
 * Second step of a re-authentication, in the transaction of the action: locks the login and
 * consumes the code. Throws refused (401) if the code was consumed or the password changed since
 * the first step, the check.
 */
export type Finalize = (tx: Transaction) => Promise<void>

type PasswordDeps = Pick<IdentityDeps, 'database' | 'passwords'>
type CodeDeps = Pick<IdentityDeps, 'database' | 'secrets' | 'config' | 'clock'>
type ReauthenticationDeps = PasswordDeps & CodeDeps
type Claim = { loginId: string; now: Date }

/**
 * Counts an attempt at the password of a login, or at the code that confirms its authenticator;
 * throws refused (429) beyond the limit. Returns the counter's key (SHA-256), by which
 * `deleteAttempts` deletes the counter after a success.
 */
export async function admitGuess(
  database: IdentityDeps['database'],
  guessed: 'code' | 'password',
  { loginId, now }: Claim,
): Promise<Buffer> {
  const subjectHash = hashOf(`${guessed} of ${loginId}`)
  await admitAttempt(database.pool, { subjectHash, now, ...limit })
  return subjectHash
}

/**
 * Checks a TOTP or recovery code; the returned function consumes the code. Throws refused: 401 for
 * a wrong code, 429 until the window of its purpose ends, 428 `MFA_LOCKED` after 100 failures in a
 * row. A wrong code that reaches a limit mails the login's owner.
 */
export async function reauthenticateByCode(
  deps: CodeDeps,
  code: string,
  { purpose, ...claim }: Claim & { purpose: CodePurpose },
): Promise<Finalize> {
  const { database } = deps
  const { loginId, now } = claim
  const attempts = await countCode(database, { loginId, purpose, now })
  if (!attempts) throw wrongCode()
  requireAdmitted(attempts, now)
  const recovery = hashRecoveryCode(code)
  const step = recovery ? null : await stepOf(deps, code, claim)
  const isRight = recovery ? await hasRecoveryCode(database, loginId, recovery) : step !== null
  if (!isRight) {
    await reportLimit(deps, loginId, attempts)
    throw wrongCode()
  }
  return async (tx) => {
    const isLive = (await lockLogin(tx, loginId)) !== null
    const isConsumed = recovery
      ? await consumeRecoveryCode(tx, loginId, recovery)
      : step !== null && (await consumeTimeStep(tx, loginId, step))
    if (!isLive || !isConsumed) throw wrongCode()
    await deleteCodeAttempts(tx, loginId, purpose)
  }
}

/**
 * Checks the login's password; the returned function checks that it has not changed. Throws
 * refused: 401 for a wrong password, 429 beyond the limit of attempts. Throws unavailable if the
 * queue of password hashes is full.
 */
export async function reauthenticateByPassword(
  { database, passwords }: PasswordDeps,
  password: string,
  { loginId, now }: Claim,
): Promise<Finalize> {
  const subjectHash = await admitGuess(database, 'password', { loginId, now })
  const passwordHash = await findPasswordHash(database, loginId)
  if (!(await passwords.matches(password, passwordHash))) throw wrongPassword()
  return async (tx) => {
    if ((await lockLogin(tx, loginId)) !== passwordHash) throw wrongPassword()
    await deleteAttempts(tx, subjectHash)
  }
}

/**
 * Re-authenticates by the password or code of the request (docs/sign-in.md#re-authentication).
 * Throws refused (400 without password and code, 401 if wrong, 429 beyond the limit of attempts,
 * 428 if codes are locked), and unavailable if the queue of password hashes is full.
 */
export async function reauthenticate(
  deps: ReauthenticationDeps,
  answer: ReAuthentication | undefined,
  claim: Claim,
): Promise<Finalize> {
  const { case: kind, value = '' } = answer?.kind ?? {}
  if (kind === 'currentPassword') return reauthenticateByPassword(deps, value.trim(), claim)
  if (kind === 'totp') {
    return reauthenticateByCode(deps, value.trim(), { ...claim, purpose: 're-authentication' })
  }
  throw refused(say('PROOF_MISSING'))
}

/**
 * Re-authenticates by the password and a code, the code only after the right password. Throws as
 * `reauthenticateByPassword` and `reauthenticateByCode` do.
 */
export async function reauthenticateByBoth(
  deps: ReauthenticationDeps,
  { password, code }: Record<'password' | 'code', string>,
  claim: Claim,
): Promise<Finalize> {
  const purpose = 're-authentication'
  const byPassword = await reauthenticateByPassword(deps, password.trim(), claim)
  const byCode = await reauthenticateByCode(deps, code.trim(), { ...claim, purpose })
  return async (tx) => {
    await byPassword(tx)
    await byCode(tx)
  }
}

/**
 * Re-authenticates by the password or code of the request; in the first 15 minutes of a session
 * the request needs neither. Throws as `reauthenticate` does, and refused (401, PROOF_REQUIRED) for
 * a request of an older session without password and code.
 */
export async function reauthenticateUnlessRecent(
  deps: ReauthenticationDeps,
  answer: ReAuthentication | undefined,
  { caller, now }: { caller: Caller; now: Date },
): Promise<Finalize> {
  const { accountId, loginId, sessionId = '' } = caller
  if (answer?.kind.case) return reauthenticate(deps, answer, { loginId, now })
  const createdAt = await findSessionStart(deps.database, accountId, sessionId)
  if (createdAt && isRecent(createdAt, now)) return async () => {}
  throw refused(say('PROOF_REQUIRED'), {
    status: 401,
    code: 'PROOF_REQUIRED',
  })
}

/** Mails the owner of a login after a wrong code that reached a limit. Best effort. */
async function reportLimit(deps: CodeDeps, loginId: string, attempts: CodeAttempts): Promise<void> {
  const kind = noticeOf(attempts)
  if (kind === null) return
  const { email } = await getPerson(deps.database, loginId)
  await deps.database.transaction((tx) => notifyOwner(deps, tx, { kind, email }))
}

async function stepOf(
  { database, secrets }: Pick<CodeDeps, 'database' | 'secrets'>,
  totp: string,
  { loginId, now }: Claim,
): Promise<number | null> {
  const authenticator = await findAuthenticator(database, loginId)
  if (!authenticator?.isEnabled) return null
  const seed = await secrets.open(authenticator, loginId)
  return acceptedStep({ seed, totp, lastStep: Number(authenticator.lastStep), now })
}

// Returns no `unauthenticated` error: the gateway would clear the cookie of a valid session.
function wrongPassword(): Error {
  return refused(say('PASSWORD_WRONG'), { status: 401 })
}

function wrongCode(): Error {
  return refused(say('CODE_WRONG'), { status: 401 })
}
