import { invalid, refused } from '@coffer/kit/rpc/errors'
import type { PasswordService } from '@coffer/proto/identity/v1/password'
import type { ServiceImpl } from '@connectrpc/connect'
import { featuresOf } from '../accounts/features.ts'
import { deleteLinkTokens, requireLinkToken, spendLinkToken } from '../mail/link-token.sql.ts'
import { hostOf } from '../mail/link-token.ts'
import { requestMail, tellOwner } from '../mail/mail-request.rpc.ts'
import { proveByPassword } from '../second-factor/proof.rpc.ts'
import type { IdentityDeps } from '../service.ts'
import { getPerson, setPassword } from './login.sql.ts'
import { knownOf, newPasswordProblems } from './login.ts'
import { chosenPasswordProblem } from './password.ts'
import { hashOf } from './secret.ts'
import { endSessionsOfLogin } from './session.sql.ts'
import { signedIn } from './signed-in.rpc.ts'

/** The caller's own password, and one that was forgotten (spec/identity.md 5.9, 6.4). */
export function password(deps: IdentityDeps): ServiceImpl<typeof PasswordService> {
  const { config, database, passwords, clock } = deps
  const host = hostOf(config.externalUrl)
  return {
    changePassword: async (request, context) => {
      const { loginId, sessionId = '' } = signedIn(context)
      const currentPassword = request.currentPassword.trim()
      const newPassword = request.newPassword.trim()
      const known = knownOf(await getPerson(database, loginId), host)
      const problems = newPasswordProblems({ currentPassword, newPassword, known })
      if (problems) throw invalid(problems)
      const now = clock()
      passwords.requireRoom()
      const spend = await proveByPassword(deps, currentPassword, { loginId, now })
      const passwordHash = await passwords.hash(newPassword, context.signal)
      await database.transaction(async (tx) => {
        await spend(tx)
        const email = await setPassword(tx, loginId, { passwordHash, resetAt: null })
        await deleteLinkTokens(tx, loginId, 'reset')
        await endSessionsOfLogin(tx, loginId, { except: sessionId })
        await tellOwner(deps, tx, { kind: 'password-changed', email })
      })
      return {}
    },
    forgotPassword: async (request) => {
      const { allowForgotPassword } = featuresOf(config)
      if (!allowForgotPassword) throw refused('password reset is not enabled', { status: 404 })
      await requestMail(deps, { ...request, kind: 'reset-password', purpose: 'forgot' })
      return {}
    },
    resetPassword: async ({ token, password: text }, context) => {
      const newPassword = text.trim()
      const now = clock()
      const shown = { tokenHash: hashOf(token.trim()), scope: 'reset', now } as const
      passwords.requireRoom()
      // Before the hash, which is too expensive to make for a token that is not valid.
      const known = knownOf(await requireLinkToken(database, shown), host)
      const problem = chosenPasswordProblem(newPassword, known)
      if (problem) throw invalid({ password: problem })
      const passwordHash = await passwords.hash(newPassword, context.signal)
      await database.transaction(async (tx) => {
        const loginId = await spendLinkToken(tx, shown)
        const email = await setPassword(tx, loginId, { passwordHash, resetAt: now })
        await endSessionsOfLogin(tx, loginId, { except: '' })
        await tellOwner(deps, tx, { kind: 'password-changed', email })
      })
      return {}
    },
  }
}
