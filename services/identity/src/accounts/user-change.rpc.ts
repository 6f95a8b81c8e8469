import { say } from '@coffer/kit/reasons/reasons'
import { forbidden, invalid, type Problems, unauthenticated } from '@coffer/kit/rpc/errors'
import type { UserService } from '@coffer/proto/identity/v1/user'
import type { ServiceImpl } from '@connectrpc/connect'
import { findUser, saveLocale } from '../book/account.sql.ts'
import { userMessage } from '../book/account.ts'
import { isEmailTaken, setNames } from '../book/login.sql.ts'
import {
  collectProblems,
  emailInUse,
  findEmailProblem,
  findNameProblem,
  knownLocale,
} from '../book/login.ts'
import { signedIn } from '../book/signed-in.service.ts'
import type { IdentityDeps } from '../deps.ts'
import { prepareEmail } from './email-change.service.ts'

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
        throw forbidden(say('OWNER_CHANGES_LOCALE'))
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
    firstName:
      of.firstName === '' ? say('FIRST_NAME_REQUIRED') : findNameProblem(of.firstName ?? ''),
    lastName: findNameProblem(of.lastName ?? ''),
    email: of.email === undefined ? null : findEmailProblem(of.email.trim()),
  })
}
