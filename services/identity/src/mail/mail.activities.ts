import { randomBytes } from 'node:crypto'
import type { ServiceDeps } from '@coffer/kit/service/service'
import { secretBytes } from '../book/secret.ts'
import type { settings } from '../config.ts'
import { featuresOf } from '../features.ts'
import {
  speechFor,
  writeLinkLetter,
  writeLinkNotice,
  writeNotice,
  writeTrialLetter,
  writeWebhookNotice,
} from './letter.ts'
import { isRefusedForGood, type MailServer } from './mail.client.ts'
import { deleteMail, findEndingTrial, findMail, findRecipient } from './mail.sql.ts'
import { isWanted, type Letter, type LinkKind, type Mail, type Recipient } from './mail.ts'
import { insertMailedLink, type MailedLinkPurpose } from './mailed-link.sql.ts'
import { createMailedLink, mailedLinkUrl, publicAddresses } from './mailed-link.ts'

type Deps = Pick<ServiceDeps<typeof settings>, 'config' | 'database' | 'clock' | 'log'> & {
  mailServer: MailServer | null
}

const pages: Record<LinkKind, { purpose: MailedLinkPurpose; page: string }> = {
  'verify-email': { purpose: 'verify', page: '/verify/email' },
  'reset-password': { purpose: 'reset', page: '/password/reset' },
  'change-email': { purpose: 'change', page: '/verify/email' },
}

/** Returns the Temporal activity that sends a mail; it can be repeated. */
export function mailActivities({ config, database, clock, log, mailServer }: Deps) {
  const { baseUrl } = publicAddresses(config)
  return {
    /**
     * Sends a queued mail at least once: after a crash it is sent again, with the same Message-ID.
     * Each attempt creates a new link, so that no table or workflow contains its token.
     */
    deliverMail: async (mailId: string): Promise<void> => {
      const mail = await findMail(database, mailId)
      if (!mail || !mailServer) return
      const { kind, email } = mail
      const recipient = await findRecipient(database, mail)
      if (recipient && isWanted(kind, recipient, featuresOf(config))) {
        const letter = await writeLetter(mail, recipient)
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

  /** Returns the content of a mail; null for a trial notice to an owner who subscribed. */
  async function writeLetter(mail: Mail, recipient: Recipient): Promise<Letter | null> {
    const { loginId } = recipient
    const { kind } = mail
    const speech = speechFor(kind, recipient)
    if (kind === 'trial-ending') {
      const trial = config.billed ? await findEndingTrial(database, loginId) : null
      return trial && writeTrialLetter(trial, clock(), speech)
    }
    if (kind === 'link-expiring' || kind === 'link-broken') {
      const { institutionName, consentEndsAt, timezone } = mail
      const link = {
        institutionName: institutionName ?? '',
        consentEndsAt,
        timezone: timezone ?? 'UTC',
      }
      return writeLinkNotice(kind, link, { ...speech, url: baseUrl })
    }
    if (kind === 'webhook-failing' || kind === 'webhook-gone') {
      return writeWebhookNotice(kind, mail.webhookHost ?? '', { ...speech, url: baseUrl })
    }
    if (!isLinkKind(kind)) return writeNotice(kind, speech)
    const { purpose, page } = pages[kind]
    const minutes = purpose === 'reset' ? config.resetLinkMinutes : config.verifyLinkMinutes
    const origin = { now: clock(), minutes }
    const { token, ...stored } = createMailedLink(randomBytes(secretBytes), origin)
    await insertMailedLink(database.pool, loginId, {
      ...stored,
      purpose,
      email: mail.email,
      unlocksCodes: true,
    })
    const link = mailedLinkUrl(baseUrl, page, token)
    return writeLinkLetter(kind, { link, minutes }, speech)
  }
}

function isLinkKind(kind: Mail['kind']): kind is LinkKind {
  return kind in pages
}
