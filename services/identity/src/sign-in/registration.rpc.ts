import { randomBytes } from 'node:crypto'
import { say } from '@coffer/kit/reasons/reasons'
import { invalid, refused } from '@coffer/kit/rpc/errors'
import { newId } from '@coffer/kit/values/id'
import type { SignInService } from '@coffer/proto/identity/v1/sign_in'
import type { ServiceImpl } from '@connectrpc/connect'
import { type UserRow, userMessage } from '../book/account.ts'
import { isEmailTaken } from '../book/login.sql.ts'
import { emailInUse, isBlocked } from '../book/login.ts'
import { hashOf, secretBytes } from '../book/secret.ts'
import { deleteSession, insertSession } from '../book/session.sql.ts'
import { newSession } from '../book/session.ts'
import { isPaidUp } from '../book/subscription.ts'
import type { IdentityDeps } from '../deps.ts'
import { featuresOf } from '../features.ts'
import { admitMail, requireQueued } from '../mail/mail-request.service.ts'
import { hostOf } from '../mail/mailed-link.ts'
import { consumeProofOfWork } from '../proof-of-work/proof-of-work.service.ts'
import { consumeBetaCode, isBetaCode } from './beta-code.sql.ts'
import { hashBetaCode } from './beta-code.ts'
import { createOwner } from './new-owner.ts'
import { insertRegistration } from './registration.sql.ts'
import { findRegistrationProblems, type Registration, verificationEnd } from './registration.ts'

/** Returns the RPC that creates login, account and owner (docs/sign-in.md#registration). */
export function registration(
  deps: IdentityDeps,
): Pick<ServiceImpl<typeof SignInService>, 'register'> {
  const { config, passwords, clock } = deps
  const { allowSignUp, verifyEmailAddress } = featuresOf(config)
  return {
    register: async (request, context) => {
      if (!allowSignUp) throw refused(say('SIGN_UP_OFF'), { status: 404 })
      const wanted = trimRegistration(request)
      const problems = await findRegistrationProblems(wanted, hostOf(config.externalUrl))
      if (problems) throw invalid(problems)
      passwords.requireRoom()
      await consumeProofOfWork(deps, 'register', request.proofOfWork)
      const betaCode = await requireBetaCode(deps, request.betaCode)
      const passwordHash = await passwords.hash(wanted.password, context.signal)
      // Timing: a blocked domain is answered as late as an address in use, to keep the list secret.
      if (isBlocked(wanted.email, config.blockedDomains)) throw emailInUse()
      const row = createOwner(wanted, config, clock())
      const { formerSessionToken: former, deviceName, isForeignDevice: isForeign } = request
      const origin = { former, deviceName, isForeign }
      const sessionToken = await saveRegistration(deps, { row, passwordHash, betaCode, origin })
      if (verifyEmailAddress) return { requiresVerification: true }
      const isActive = isPaidUp(row, row.createdAt, config)
      return { user: userMessage(row), sessionToken, isActive }
    },
  }
}

/** Returns the hash of the beta code; null if codes are off. Throws invalid for a wrong code. */
async function requireBetaCode(
  { config, database, clock }: IdentityDeps,
  code: string,
): Promise<Buffer | null> {
  if (!featuresOf(config).requireBetaCode) return null
  if (code.trim() === '') throw invalid({ betaCode: say('KEY_MISSING') })
  const codeHash = hashBetaCode(code)
  // Checks the code before the password is hashed, which is expensive. `saveRegistration` consumes
  // the code.
  if (!(await isBetaCode(database, { codeHash, now: clock() }))) throw notABetaCode()
  return codeHash
}

interface Registered {
  row: UserRow
  passwordHash: string
  betaCode: Buffer | null
  origin: { former: string; deviceName: string; isForeign: boolean }
}

/** Stores the registration; returns a session token, '' if the address must be verified first. */
async function saveRegistration(
  { config, database }: IdentityDeps,
  registered: Registered,
): Promise<string> {
  const { row, passwordHash, betaCode, origin } = registered
  const { email, createdAt: now } = row
  const verifyBy = featuresOf(config).verifyEmailAddress ? verificationEnd(now) : null
  const { former, ...device } = origin
  const sessionId = newId('sess')
  const begun = { bytes: randomBytes(secretBytes), sessionId, isPending: false, ...device }
  const { token, session } = newSession(begun, row, now)
  try {
    return await database.transaction(async (tx) => {
      if (betaCode && !(await consumeBetaCode(tx, { codeHash: betaCode, now })))
        throw notABetaCode()
      await insertRegistration(tx, row, { passwordHash, verifyBy, billed: config.billed })
      if (verifyBy) {
        const mail = { kind: 'verify-email', email } as const
        await admitMail(tx, mail, now)
        await requireQueued(tx, mail, now)
        return ''
      }
      await deleteSession(tx, hashOf(former))
      await insertSession(tx, session)
      return token
    })
  } catch (error) {
    throw isEmailTaken(error) ? emailInUse() : error
  }
}

function trimRegistration(request: Registration): Registration {
  return {
    email: request.email.trim(),
    password: request.password.trim(),
    firstName: request.firstName.trim(),
    lastName: request.lastName.trim(),
    timezone: request.timezone.trim(),
    locale: request.locale.trim(),
  }
}

function notABetaCode(): Error {
  return invalid({ betaCode: say('BETA_CODE_USED') })
}
