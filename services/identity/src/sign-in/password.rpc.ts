import { say } from '@coffer/kit/reasons/reasons'
import { invalid, refused } from '@coffer/kit/rpc/errors'
import type { PasswordService } from '@coffer/proto/identity/v1/password'
import type { ServiceImpl } from '@connectrpc/connect'
import { getPerson, setPassword } from '../book/login.sql.ts'
import { hashOf } from '../book/secret.ts'
import { endSessionsOfLogin } from '../book/session.sql.ts'
import { signedIn } from '../book/signed-in.service.ts'
import type { IdentityDeps } from '../deps.ts'
import { featuresOf } from '../features.ts'
import { notifyOwner, requestMail } from '../mail/mail-request.service.ts'
import { consumeMailedLink, deleteMailedLinks, requireMailedLink } from '../mail/mailed-link.sql.ts'
import { hostOf } from '../mail/mailed-link.ts'
import { unlockCodes } from '../second-factor/code-attempt.sql.ts'
import { reauthenticateByPassword } from '../second-factor/re-authentication.service.ts'
import { findChosenPasswordProblem } from './password.ts'
import { findNewPasswordProblems, listGuessableTexts } from './registration.ts'

/** Returns the RPCs that change and reset passwords (docs/sign-in.md#passwords). */
export function password(deps: IdentityDeps): ServiceImpl<typeof PasswordService> {
  const { config, database, passwords, clock } = deps
  const host = hostOf(config.externalUrl)
  return {
    changePassword: async (request, context) => {
      const { loginId, sessionId = '' } = signedIn(context)
      const currentPassword = request.currentPassword.trim()
      const newPassword = request.newPassword.trim()
      const known = listGuessableTexts(await getPerson(database, loginId), host)
      const problems = await findNewPasswordProblems({ currentPassword, newPassword }, known)
      if (problems) throw invalid(problems)
      const now = clock()
      passwords.requireRoom()
      const finalize = await reauthenticateByPassword(deps, currentPassword, { loginId, now })
      const passwordHash = await passwords.hash(newPassword, context.signal)
      await database.transaction(async (tx) => {
        await finalize(tx)
        const email = await setPassword(tx, loginId, { passwordHash, resetAt: null })
        await deleteMailedLinks(tx, loginId, 'reset')
        await endSessionsOfLogin(tx, loginId, { except: sessionId })
        await notifyOwner(deps, tx, { kind: 'password-changed', email })
      })
      return {}
    },
    forgotPassword: async (request) => {
      const { allowForgotPassword } = featuresOf(config)
      if (!allowForgotPassword) throw refused(say('RESET_OFF'), { status: 404 })
      await requestMail(deps, { ...request, kind: 'reset-password', purpose: 'forgot' })
      return {}
    },
    checkResetLink: async ({ token }) => {
      const tokenHash = hashOf(token.trim())
      await requireMailedLink(database, { tokenHash, purpose: 'reset', now: clock() })
      return {}
    },
    resetPassword: async ({ token, password: text }, context) => {
      const newPassword = text.trim()
      const now = clock()
      const shown = { tokenHash: hashOf(token.trim()), purpose: 'reset', now } as const
      passwords.requireRoom()
      // Checks the token before the password is hashed, which is expensive. `consumeMailedLink`
      // consumes the token.
      const known = listGuessableTexts(await requireMailedLink(database, shown), host)
      const problem = await findChosenPasswordProblem(newPassword, known)
      if (problem) throw invalid({ password: problem })
      const passwordHash = await passwords.hash(newPassword, context.signal)
      await database.transaction(async (tx) => {
        const { loginId, unlocksCodes } = await consumeMailedLink(tx, shown)
        if (unlocksCodes) await unlockCodes(tx, loginId)
        const email = await setPassword(tx, loginId, { passwordHash, resetAt: now })
        await endSessionsOfLogin(tx, loginId, { except: '' })
        await notifyOwner(deps, tx, { kind: 'password-changed', email })
      })
      return {}
    },
  }
}
