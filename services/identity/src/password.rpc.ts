import { invalid, refused } from '@coffer/kit/errors'
import type { PasswordService } from '@coffer/proto/identity/v1/password'
import type { ServiceImpl } from '@connectrpc/connect'
import { setPassword } from './login.sql.ts'
import { newPasswordProblems } from './login.ts'
import { chosenPasswordProblem } from './password.ts'
import { isPasswordReset, spendPasswordReset } from './password-reset.sql.ts'
import { proveByPassword } from './proof.rpc.ts'
import { hashOf } from './secret.ts'
import type { IdentityDeps } from './service.ts'
import { endSessionsOfLogin } from './session.sql.ts'
import { signedIn } from './signed-in.rpc.ts'

/** The caller's own password, and one that was forgotten (spec/identity.md 5.9, 6.4). */
export function password(deps: IdentityDeps): ServiceImpl<typeof PasswordService> {
  const { database, passwords, clock } = deps
  return {
    changePassword: async (request, context) => {
      const { loginId, sessionId = '' } = signedIn(context)
      const currentPassword = request.currentPassword.trim()
      const newPassword = request.newPassword.trim()
      const problems = newPasswordProblems({ currentPassword, newPassword })
      if (problems) throw invalid(problems)
      const spend = await proveByPassword(deps, currentPassword, { loginId, now: clock() })
      const passwordHash = await passwords.hash(newPassword)
      await database.transaction(async (tx) => {
        await spend(tx)
        await setPassword(tx, loginId, { passwordHash, resetAt: null })
        await endSessionsOfLogin(tx, loginId, { except: sessionId })
      })
      return {}
    },
    resetPassword: async ({ token, password: text }) => {
      const newPassword = text.trim()
      const problem = chosenPasswordProblem(newPassword)
      if (problem) throw invalid({ password: problem })
      const now = clock()
      const reset = { tokenHash: hashOf(token.trim()), now }
      // Looked at first: a hash is too dear to make for whoever asks.
      if (!(await isPasswordReset(database, reset))) throw notValid()
      const passwordHash = await passwords.hash(newPassword)
      await database.transaction(async (tx) => {
        const loginId = await spendPasswordReset(tx, reset)
        if (loginId === null) throw notValid()
        await setPassword(tx, loginId, { passwordHash, resetAt: now })
        await endSessionsOfLogin(tx, loginId, { except: '' })
      })
      return {}
    },
  }
}

function notValid(): Error {
  return refused('this link was used or is not valid any more: ask for another')
}
