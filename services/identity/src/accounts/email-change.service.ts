import type { Transaction } from '@coffer/kit/database/database'
import { refused } from '@coffer/kit/rpc/errors'
import type { UpdateUserRequest } from '@coffer/proto/identity/v1/user'
import type { UserRow } from '../book/account.ts'
import { clearPendingEmail, setEmail, setPendingEmail } from '../book/login.sql.ts'
import { emailInUse, isBlocked } from '../book/login.ts'
import { hashOf } from '../book/secret.ts'
import { admitAttempt } from '../book/sign-in-attempt.sql.ts'
import type { IdentityDeps } from '../deps.ts'
import { featuresOf } from '../features.ts'
import { admitMail, notifyOwner, requireQueued } from '../mail/mail-request.service.ts'
import { deleteMailedLinks } from '../mail/mailed-link.sql.ts'
import { reauthenticate } from '../second-factor/re-authentication.service.ts'

// Rate limit per login, because each change mails an address that the client chooses.
const limit = { max: 5, windowMs: 15 * 60_000 }

/**
 * Checks a new email address and re-authenticates; returns the change for the transaction. If
 * verification is on, the new address is pending until its mailed link is used; otherwise it is
 * valid at once. Stating the current address cancels a pending change. Throws refused: 400 and 401
 * as a re-authentication, 428 for an address in use, 429 beyond a limit.
 */
export async function prepareEmail(
  deps: IdentityDeps,
  { loginId, email: current, pendingEmail }: UserRow,
  { email: sent, proof }: UpdateUserRequest,
): Promise<(tx: Transaction) => Promise<void>> {
  const { config, database, clock } = deps
  const email = sent?.trim()
  const now = clock()
  if (email === undefined || (email === current && pendingEmail === null)) return async () => {}
  if (email === current) {
    return async (tx) => {
      await clearPendingEmail(tx, loginId)
      await deleteMailedLinks(tx, loginId, 'change')
    }
  }
  if (!proof?.kind.case) {
    const text = 'a new email address needs currentPassword or totp too'
    throw refused(text, { status: 401, code: 'PROOF_REQUIRED' })
  }
  const finalize = await reauthenticate(deps, proof, { loginId, now })
  const subjectHash = hashOf(`email change of ${loginId}`)
  await admitAttempt(database.pool, { subjectHash, now, ...limit })
  if (isBlocked(email, config.blockedDomains)) throw emailInUse()
  if (!featuresOf(config).verifyEmailAddress) {
    return async (tx) => {
      await finalize(tx)
      await changeEmail(deps, tx, { loginId, email, verifiedAt: null })
    }
  }
  return async (tx) => {
    await finalize(tx)
    const mail = { kind: 'change-email', email, loginId } as const
    await admitMail(tx, mail, now)
    await setPendingEmail(tx, loginId, email)
    await deleteMailedLinks(tx, loginId, 'change')
    await requireQueued(tx, mail, now)
    await notifyOwner(deps, tx, { kind: 'email-change-requested', email: current, loginId })
  }
}

/**
 * Changes the address of a login, which ends all its mailed links, and mails a notice to the former
 * address. Throws UniqueIntegrityConstraintViolationError on `logins_email_key` if it is taken.
 */
export async function changeEmail(
  deps: Pick<IdentityDeps, 'config' | 'clock'>,
  tx: Transaction,
  { loginId, ...changed }: { loginId: string; email: string; verifiedAt: Date | null },
): Promise<void> {
  const former = await setEmail(tx, loginId, changed)
  for (const purpose of ['reset', 'verify', 'change'] as const) {
    await deleteMailedLinks(tx, loginId, purpose)
  }
  await notifyOwner(deps, tx, { kind: 'email-changed', email: former, loginId })
}
