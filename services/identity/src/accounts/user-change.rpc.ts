import type { Transaction } from '@coffer/kit/database/database'
import { forbidden, invalid, type Problems, refused, unauthenticated } from '@coffer/kit/rpc/errors'
import type { UpdateUserRequest, UserService } from '@coffer/proto/identity/v1/user'
import type { ServiceImpl } from '@connectrpc/connect'
import { findUser, saveLocale } from '../book/account.sql.ts'
import type { UserRow } from '../book/account.ts'
import {
  clearPendingEmail,
  isEmailTaken,
  setEmail,
  setNames,
  setPendingEmail,
} from '../book/login.sql.ts'
import {
  collectProblems,
  emailInUse,
  findEmailProblem,
  findNameProblem,
  isBlocked,
  knownLocale,
} from '../book/login.ts'
import { hashOf } from '../book/secret.ts'
import { admitAttempt } from '../book/sign-in-attempt.sql.ts'
import { signedIn } from '../book/signed-in.service.ts'
import type { IdentityDeps } from '../deps.ts'
import { featuresOf } from '../features.ts'
import { admitMail, notifyOwner, requireQueued } from '../mail/mail-request.service.ts'
import { deleteMailedLinks } from '../mail/mailed-link.sql.ts'
import { reauthenticate } from '../second-factor/re-authentication.service.ts'
import { userMessage } from './user.rpc.ts'

// Rate limit per login, because each change mails an address of the caller's choice.
const limit = { max: 5, windowMs: 15 * 60_000 }

/** Returns the RPC that changes names, locale and email address (docs/sign-in.md#own-data). */
export function userChange(
  deps: IdentityDeps,
): Pick<ServiceImpl<typeof UserService>, 'updateUser'> {
  const { database, config } = deps
  return {
    updateUser: async (request, context) => {
      const { accountId, userId } = signedIn(context)
      const user = await findUser(database, accountId, userId)
      if (!user) throw unauthenticated('SESSION_ENDED')
      const { email, locale } = request
      const names = { firstName: request.firstName?.trim(), lastName: request.lastName?.trim() }
      const problems = findProblems({ ...names, email })
      if (problems) throw invalid(problems)
      if (locale !== undefined && user.role !== 'owner') {
        throw forbidden('only its owner can change the locale of an account')
      }
      const changeEmail = await prepareEmail(deps, user, request)
      try {
        const changed = await database.transaction(async (tx) => {
          await changeEmail(tx)
          await setNames(tx, user.loginId, names)
          if (locale !== undefined) {
            await saveLocale(tx, accountId, { locale: knownLocale(locale.trim()), ...config })
          }
          return findUser({ pool: tx }, accountId, userId)
        })
        return { user: userMessage(changed ?? user) }
      } catch (error) {
        throw isEmailTaken(error) ? emailInUse() : error
      }
    },
  }
}

function findProblems(of: {
  firstName: string | undefined
  lastName: string | undefined
  email: string | undefined
}): Problems | null {
  return collectProblems({
    firstName: of.firstName === '' ? 'first name is required' : findNameProblem(of.firstName ?? ''),
    lastName: findNameProblem(of.lastName ?? ''),
    email: of.email === undefined ? null : findEmailProblem(of.email.trim()),
  })
}

/**
 * Checks a new email address and re-authenticates; returns the change for the transaction. Where
 * addresses are verified, the new one waits for its mailed link; elsewhere it is valid at once. The
 * current address ends a change that waits. Throws refused: 400 and 401 as a re-authentication, 428
 * for an address in use, 429 beyond a limit.
 */
async function prepareEmail(
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
