import type { Transaction } from '@coffer/kit/database/database'
import type { Caller } from '@coffer/kit/rpc/caller'
import { refused } from '@coffer/kit/rpc/errors'
import type { Proof } from '@coffer/proto/identity/v1/proof'
import type { IdentityDeps } from '../service.ts'
import { findPasswordHash, lockLogin } from '../sign-in/login.sql.ts'
import { hashOf } from '../sign-in/secret.ts'
import { findSessionStart } from '../sign-in/session.sql.ts'
import { isFresh } from '../sign-in/session.ts'
import { admitAttempt, forgetAttempts } from '../sign-in/sign-in-attempt.sql.ts'
import { findAuthenticator, spendRecoveryCode, spendStep } from './authenticator.sql.ts'
import { recoveryCodeHash } from './recovery-code.ts'
import { acceptedStep } from './totp.ts'

/** Guesses of one login's code or password within `windowMs`, by somebody who has a session. */
const limit = { max: 5, windowMs: 15 * 60_000 }

/**
 * Makes a proof final, first of all in the transaction of what it is for: from then on the login
 * stands still. Throws when the proof was used before, or the password has been changed.
 */
export type Spend = (tx: Transaction) => Promise<void>

type PasswordDeps = Pick<IdentityDeps, 'database' | 'passwords'>
type ProofDeps = PasswordDeps & Pick<IdentityDeps, 'secrets'>
type Claim = { loginId: string; now: Date }

/** Counts a guess at a login's code; `forgetAttempts` takes it back. Throws refused (429). */
export function admitCode(
  database: IdentityDeps['database'],
  { loginId, now }: Claim,
): Promise<Buffer> {
  return admit(database, `code of ${loginId}`, now)
}

/**
 * Checks a code of the authenticator or a recovery code; spending it lets no one use it again.
 * Throws 401 for a wrong code, 429 after too many of them.
 */
export async function proveByCode(
  { database, secrets }: ProofDeps,
  code: string,
  { loginId, now }: Claim,
): Promise<Spend> {
  const subjectHash = await admitCode(database, { loginId, now })
  const recovery = recoveryCodeHash(code)
  const step = recovery ? null : await stepOf({ database, secrets }, code, { loginId, now })
  if (!recovery && step === null) throw wrongCode()
  return async (tx) => {
    const isLive = (await lockLogin(tx, loginId)) !== null
    const isSpent = recovery
      ? await spendRecoveryCode(tx, loginId, recovery)
      : step !== null && (await spendStep(tx, loginId, step))
    if (!isLive || !isSpent) throw wrongCode()
    await forgetAttempts(tx, subjectHash)
  }
}

/** Checks the login's password. Throws 401 for a wrong one, 429 after too many of them. */
export async function proveByPassword(
  { database, passwords }: PasswordDeps,
  password: string,
  { loginId, now }: Claim,
): Promise<Spend> {
  const subjectHash = await admit(database, `password of ${loginId}`, now)
  const passwordHash = await findPasswordHash(database, loginId)
  if (!(await passwords.matches(password, passwordHash))) throw wrongPassword()
  return async (tx) => {
    if ((await lockLogin(tx, loginId)) !== passwordHash) throw wrongPassword()
    await forgetAttempts(tx, subjectHash)
  }
}

/** Checks whichever of the two the caller brought. Throws as they do, 400 for neither. */
export async function proveByEither(
  deps: ProofDeps,
  proof: Proof | undefined,
  claim: Claim,
): Promise<Spend> {
  const { case: kind, value = '' } = proof?.kind ?? {}
  if (kind === 'currentPassword') return proveByPassword(deps, value.trim(), claim)
  if (kind === 'totp') return proveByCode(deps, value.trim(), claim)
  throw refused('either the current password or a code is required')
}

/**
 * As `proveByEither`, but a session that has just begun needs no proof. Throws refused (401) where
 * an older one brings none.
 */
export async function proveUnlessFresh(
  deps: ProofDeps,
  proof: Proof | undefined,
  { caller, now }: { caller: Caller; now: Date },
): Promise<Spend> {
  const { accountId, loginId, sessionId = '' } = caller
  if (proof?.kind.case) return proveByEither(deps, proof, { loginId, now })
  const createdAt = await findSessionStart(deps.database, accountId, sessionId)
  if (createdAt && isFresh(createdAt, now)) return async () => {}
  throw refused('the sign-in was a while ago: the current password or a code is required', {
    status: 401,
    code: 'PROOF_REQUIRED',
  })
}

/** Counts one more guess at a subject; returns its hash. Throws refused (429). */
async function admit(
  database: IdentityDeps['database'],
  subject: string,
  now: Date,
): Promise<Buffer> {
  const subjectHash = hashOf(subject)
  await admitAttempt(database.pool, { subjectHash, now, ...limit })
  return subjectHash
}

async function stepOf(
  { database, secrets }: Pick<ProofDeps, 'database' | 'secrets'>,
  totp: string,
  { loginId, now }: Claim,
): Promise<number | null> {
  const authenticator = await findAuthenticator(database, loginId)
  if (!authenticator?.isEnabled) return null
  const seed = await secrets.open(authenticator, loginId)
  return acceptedStep({ seed, totp, lastStep: Number(authenticator.lastStep), now })
}

// Not `unauthenticated`, as below: the session holds, only the proof does not.
function wrongPassword(): Error {
  return refused('the current password is wrong', { status: 401 })
}

function wrongCode(): Error {
  return refused('the code is wrong or was used before', { status: 401 })
}
