import { randomBytes } from 'node:crypto'
import { say } from '@coffer/kit/reasons/reasons'
import type { Caller } from '@coffer/kit/rpc/caller'
import { invalid, refused, unauthenticated } from '@coffer/kit/rpc/errors'
import { callerOf } from '@coffer/kit/rpc/rpc'
import { newId } from '@coffer/kit/values/id'
import type { MultifactorService } from '@coffer/proto/identity/v1/multifactor'
import type { Proof as ReAuthentication } from '@coffer/proto/identity/v1/proof'
import type { HandlerContext, ServiceImpl } from '@connectrpc/connect'
import { getPerson, lockLogin, tellLogin } from '../book/login.sql.ts'
import { isAccountActive } from '../book/paid-up.service.ts'
import { base32, secretBytes } from '../book/secret.ts'
import { endPendingSession, endSessionsOfLogin, insertSession } from '../book/session.sql.ts'
import { newSession } from '../book/session.ts'
import { deleteAttempts } from '../book/sign-in-attempt.sql.ts'
import { signedIn } from '../book/signed-in.service.ts'
import type { IdentityDeps } from '../deps.ts'
import { notifyOwner } from '../mail/mail-request.service.ts'
import {
  deleteAuthenticator,
  enableAuthenticator,
  findAuthenticator,
  hasAuthenticator,
  replaceRecoveryCodes,
  saveAuthenticator,
} from './authenticator.sql.ts'
import { unlockCodes } from './code-attempt.sql.ts'
import {
  admitGuess,
  type Finalize,
  reauthenticate,
  reauthenticateByCode,
  reauthenticateUnlessRecent,
} from './re-authentication.service.ts'
import {
  formatRecoveryCode,
  hashRecoveryCode,
  recoveryCodeBytes,
  recoveryCodeCount,
} from './recovery-code.ts'
import { acceptedStep, seedBytes, totpUri } from './totp.ts'

/** Returns the RPCs of the second factor (docs/sign-in.md#second-factor). */
export function multifactor(deps: IdentityDeps): ServiceImpl<typeof MultifactorService> {
  return {
    setUpTotp: ({ proof: answer }, context) => setUp(deps, signedIn(context), answer),
    confirmTotp: ({ totp }, context) => confirm(deps, signedIn(context), totp.trim()),
    disableTotp: async ({ proof: answer }, context) => {
      const { loginId, sessionId = '' } = signedIn(context)
      const { email } = await getPerson(deps.database, loginId)
      const finalize = await reauthenticateIfEnabled(deps, loginId, answer)
      await deps.database.transaction(async (tx) => {
        await finalize(tx)
        if (!(await hasAuthenticator(tx, loginId))) throw noneEnabled()
        await deleteAuthenticator(tx, loginId)
        await endSessionsOfLogin(tx, loginId, { except: sessionId })
        await notifyOwner(deps, tx, { kind: 'authenticator-disabled', email })
      })
      return {}
    },
    renewRecoveryCodes: async ({ proof: answer }, context) => {
      const { loginId } = signedIn(context)
      const finalize = await reauthenticateIfEnabled(deps, loginId, answer)
      const { email } = await getPerson(deps.database, loginId)
      const codes = newRecoveryCodes()
      await deps.database.transaction(async (tx) => {
        await finalize(tx)
        // Checked again under the login's lock: a concurrent call may disable the authenticator.
        if (!(await hasAuthenticator(tx, loginId))) throw noneEnabled()
        await replaceRecoveryCodes(tx, loginId, codes.hashes)
        await tellLogin(tx, loginId)
        await notifyOwner(deps, tx, { kind: 'recovery-codes-renewed', email })
      })
      return { recoveryCodes: codes.shown }
    },
    completeSignIn: ({ totp, deviceName }, context) =>
      completeSignIn(deps, { totp: totp.trim(), deviceName }, context),
  }
}

async function setUp(deps: IdentityDeps, caller: Caller, answer: ReAuthentication | undefined) {
  const { database, secrets, clock } = deps
  const { loginId } = caller
  const now = clock()
  const { email } = await getPerson(database, loginId)
  const finalize = await reauthenticateUnlessRecent(deps, answer, { caller, now })
  const text = base32(randomBytes(seedBytes)).toUpperCase()
  const seed = await secrets.seal(text, loginId)
  const codes = newRecoveryCodes()
  await database.transaction(async (tx) => {
    await finalize(tx)
    if (!(await saveAuthenticator(tx, loginId, { seed, now }))) throw enabledAlready()
    await replaceRecoveryCodes(tx, loginId, codes.hashes)
  })
  return { uri: totpUri(email, text), recoveryCodes: codes.shown }
}

async function confirm(deps: IdentityDeps, caller: Caller, totp: string) {
  const { database, secrets, clock } = deps
  const { loginId, sessionId = '' } = caller
  const authenticator = await findAuthenticator(database, loginId)
  if (!authenticator) throw refused(say('TOTP_NOT_SET_UP'))
  if (authenticator.isEnabled) throw enabledAlready()
  const now = clock()
  const subjectHash = await admitGuess(database, 'code', { loginId, now })
  const seed = await secrets.open(authenticator, loginId)
  const step = acceptedStep({ seed, totp, lastStep: 0, now })
  if (step === null) throw invalid({ totp: say('TOTP_WRONG') })
  const { email } = await getPerson(database, loginId)
  await database.transaction(async (tx) => {
    await lockLogin(tx, loginId)
    if (!(await enableAuthenticator(tx, loginId, { seed: authenticator, step, now }))) {
      throw refused(say('TOTP_CHANGED'))
    }
    await deleteAttempts(tx, subjectHash)
    // Failures with a former authenticator do not count for the new one.
    await unlockCodes(tx, loginId)
    // Ends the login's other sessions, because they began without a second factor.
    await endSessionsOfLogin(tx, loginId, { except: sessionId })
    await notifyOwner(deps, tx, { kind: 'authenticator-enabled', email })
  })
  return {}
}

async function completeSignIn(
  deps: IdentityDeps,
  { totp, deviceName }: { totp: string; deviceName: string },
  context: HandlerContext,
) {
  const caller = callerOf(context)
  if (caller.kind !== 'pending') throw unauthenticated('MFA_NOT_PENDING')
  const { accountId, sessionId = '', loginId } = caller
  const { database, clock } = deps
  const now = clock()
  const finalize = await reauthenticateByCode(deps, totp, { loginId, purpose: 'sign-in', now })
  const bytes = randomBytes(secretBytes)
  const origin = { bytes, sessionId: newId('sess'), isPending: false, deviceName }
  const isActive = await isAccountActive(deps, accountId)
  return await database.transaction(async (tx) => {
    await finalize(tx)
    const ended = await endPendingSession(tx, accountId, { sessionId, now })
    if (!ended) throw unauthenticated('SESSION_ENDED')
    const { token, session } = newSession({ ...origin, ...ended }, caller, now)
    await insertSession(tx, session)
    return { sessionToken: token, isActive, isForeignDevice: ended.isForeign }
  })
}

/**
 * Re-authenticates by the password or code of the request (OWASP ASVS 5.0, 7.5.1). Throws refused
 * if no authenticator is enabled, and as `reauthenticate` does.
 */
async function reauthenticateIfEnabled(
  deps: IdentityDeps,
  loginId: string,
  answer?: ReAuthentication,
): Promise<Finalize> {
  const authenticator = await findAuthenticator(deps.database, loginId)
  if (!authenticator?.isEnabled) throw noneEnabled()
  return reauthenticate(deps, answer, { loginId, now: deps.clock() })
}

function noneEnabled(): Error {
  return refused(say('TOTP_OFF'))
}

function newRecoveryCodes(): { shown: string[]; hashes: Buffer[] } {
  const shown = Array.from({ length: recoveryCodeCount }, () =>
    formatRecoveryCode(randomBytes(recoveryCodeBytes)),
  )
  return { shown, hashes: shown.flatMap((code) => hashRecoveryCode(code) ?? []) }
}

function enabledAlready(): Error {
  return refused(say('TOTP_ON'))
}
