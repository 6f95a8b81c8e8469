import { randomBytes } from 'node:crypto'
import type { ServiceDeps } from '@coffer/kit/service/service'
import { featuresOf } from '../accounts/features.ts'
import type { settings } from '../config.ts'
import { secretBytes } from '../sign-in/secret.ts'
import { insertLinkToken, type LinkScope } from './link-token.sql.ts'
import { linkTo, newLinkToken, publicAddresses } from './link-token.ts'
import { isRefusedForGood, type MailServer } from './mail.client.ts'
import { deleteMail, findEndingTrial, findMail, findRecipient } from './mail.sql.ts'
import {
  greetingOf,
  isWanted,
  type Letter,
  type LinkKind,
  letterOf,
  type MailKind,
  noticeOf,
  type Recipient,
  trialLetterOf,
} from './mail.ts'

type Deps = Pick<ServiceDeps<typeof settings>, 'config' | 'database' | 'clock' | 'log'> & {
  mailServer: MailServer | null
}

const pages: Record<LinkKind, { scope: LinkScope; page: string }> = {
  'verify-email': { scope: 'verify', page: '/verify/email' },
  'reset-password': { scope: 'reset', page: '/password/reset' },
}

/** Sending mails; each step can be repeated. */
export function mailActivities({ config, database, clock, log, mailServer }: Deps) {
  const { baseUrl } = publicAddresses(config)
  return {
    /**
     * Sends a mail that waits, at least once: who dies between the server's word and the deletion
     * of the row sends it again, under the same Message-ID. The link is made here, in every attempt
     * anew, so that it is nowhere but in the mail; all of them work.
     */
    deliverMail: async (mailId: string): Promise<void> => {
      const mail = await findMail(database, mailId)
      if (!mail || !mailServer) return
      const { kind, email } = mail
      const recipient = await findRecipient(database, email)
      if (recipient && isWanted(kind, recipient, featuresOf(config))) {
        const letter = await write(kind, recipient)
        try {
          if (letter) await mailServer.send({ mailId, to: email, letter })
        } catch (error) {
          if (!isRefusedForGood(error)) throw error
          log.warn({ mailId, kind }, 'the mail server refuses a mail for good')
        }
      }
      await deleteMail(database, mailId)
    },
  }

  /** Null where there is nothing to say any more. */
  async function write(kind: MailKind, recipient: Recipient): Promise<Letter | null> {
    const { loginId } = recipient
    const greeting = greetingOf(recipient)
    if (kind === 'trial-ending') {
      const trial = config.billed ? await findEndingTrial(database, loginId) : null
      return trial && trialLetterOf(trial, { greeting, now: clock() })
    }
    if (kind !== 'verify-email' && kind !== 'reset-password') return noticeOf(kind, { greeting })
    const { scope, page } = pages[kind]
    const minutes = scope === 'verify' ? config.verifyLinkMinutes : config.resetLinkMinutes
    const { token, ...stored } = newLinkToken(randomBytes(secretBytes), { now: clock(), minutes })
    await insertLinkToken(database.pool, loginId, { ...stored, scope })
    const link = linkTo(baseUrl, page, token)
    return letterOf(kind, { greeting, link, minutes })
  }
}
