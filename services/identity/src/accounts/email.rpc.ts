import { say } from '@coffer/kit/reasons/reasons'
import { refused } from '@coffer/kit/rpc/errors'
import type { EmailService } from '@coffer/proto/identity/v1/email'
import type { ServiceImpl } from '@connectrpc/connect'
import { isEmailTaken, setEmailVerified } from '../book/login.sql.ts'
import { emailInUse } from '../book/login.ts'
import { hashOf } from '../book/secret.ts'
import type { IdentityDeps } from '../deps.ts'
import { featuresOf } from '../features.ts'
import { requestMail } from '../mail/mail-request.service.ts'
import {
  consumeChangeLink,
  consumeMailedLink,
  linkNotValid,
  requireVerificationLink,
} from '../mail/mailed-link.sql.ts'
import { changeEmail } from './email-change.service.ts'

/** Returns the RPCs of email verification; each throws refused (404) if verification is off. */
export function emails(deps: IdentityDeps): ServiceImpl<typeof EmailService> {
  const { config, database, clock } = deps
  const requireFeature = () => {
    const { verifyEmailAddress } = featuresOf(config)
    if (!verifyEmailAddress) throw refused(say('VERIFICATION_OFF'), { status: 404 })
  }
  return {
    checkVerificationLink: async ({ token }) => {
      requireFeature()
      await requireVerificationLink(database, { tokenHash: hashOf(token.trim()), now: clock() })
      return {}
    },
    verifyEmail: async ({ token }) => {
      requireFeature()
      const now = clock()
      const shown = { tokenHash: hashOf(token.trim()), purpose: 'verify', now } as const
      try {
        await database.transaction(async (tx) => {
          const changing = await consumeChangeLink(tx, shown)
          if (changing) return changeEmail(deps, tx, { ...changing, verifiedAt: now })
          const { loginId } = await consumeMailedLink(tx, shown)
          if (!(await setEmailVerified(tx, loginId, now))) throw linkNotValid()
        })
      } catch (error) {
        throw isEmailTaken(error) ? emailInUse() : error
      }
      return {}
    },
    resendVerification: async (request) => {
      requireFeature()
      await requestMail(deps, { ...request, kind: 'verify-email', purpose: 'resend' })
      return {}
    },
  }
}
