import { invalid } from '@coffer/kit/errors'
import type { PasswordService } from '@coffer/proto/identity/v1/password'
import type { ServiceImpl } from '@connectrpc/connect'
import { setPassword } from './login.sql.ts'
import { newPasswordProblems } from './login.ts'
import { proveByPassword } from './proof.rpc.ts'
import type { IdentityDeps } from './service.ts'
import { endSessionsOfLogin } from './session.sql.ts'
import { signedIn } from './signed-in.rpc.ts'

/** The caller's own password (spec/identity.md 6.4). */
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
        await setPassword(tx, loginId, passwordHash)
        await endSessionsOfLogin(tx, loginId, { except: sessionId })
      })
      return {}
    },
  }
}
