import { z } from 'zod'

/** A mail that waits; whether somebody has the address is looked at when it is sent. */
export const Mail = z.object({
  mailId: z.string(),
  kind: z.enum([
    'verify-email',
    'reset-password',
    'password-changed',
    'authenticator-enabled',
    'authenticator-disabled',
    'recovery-codes-renewed',
  ]),
  /** Lower case. */
  email: z.string(),
})
export type Mail = z.infer<typeof Mail>
export type MailKind = Mail['kind']

/** A mail that tells what was changed; it has no link. */
export type NoticeKind = Exclude<MailKind, 'verify-email' | 'reset-password'>

/** Who has an email address, as far as mails are concerned. */
export const Recipient = z.object({
  loginId: z.string(),
  firstName: z.string(),
  isDisabled: z.boolean(),
  isEmailVerified: z.boolean(),
})
export type Recipient = z.infer<typeof Recipient>

/** What a mail says; the templates give it its form. */
export interface Letter {
  subject: string
  greeting: string
  paragraphs: string[]
  button: { label: string; url: string } | null
}

/**
 * Whether the mail is to be sent to whom the address belongs: not to disabled logins, a link to
 * verify not to who has verified, and where addresses are verified a reset only to those that are
 * (spec/identity.md 5.8, 5.9).
 */
export function isWanted(
  kind: MailKind,
  { isDisabled, isEmailVerified }: Recipient,
  { verifyEmailAddress }: { verifyEmailAddress: boolean },
): boolean {
  if (isDisabled) return false
  if (kind === 'verify-email') return !isEmailVerified
  return kind !== 'reset-password' || isEmailVerified || !verifyEmailAddress
}

const notices: Record<NoticeKind, { subject: string; what: string }> = {
  'password-changed': {
    subject: 'Your password was changed',
    what: 'The password of your Coffer login was changed, and every other session has ended.',
  },
  'authenticator-enabled': {
    subject: 'An authenticator was enabled',
    what: 'Signing in to Coffer now takes a code of it, and every other session has ended.',
  },
  'authenticator-disabled': {
    subject: 'Your authenticator was disabled',
    what: 'Signing in to Coffer takes your password alone now, and every other session has ended.',
  },
  'recovery-codes-renewed': {
    subject: 'Your recovery codes were renewed',
    what: 'Your Coffer login has new recovery codes, and the former ones stopped working.',
  },
}

/** The text of a mail that tells what was changed. */
export function noticeOf(kind: NoticeKind, { firstName }: { firstName: string }): Letter {
  const { subject, what } = notices[kind]
  const advice =
    'If that was not you, ask for a new password at once, and tell whoever runs this server.'
  return { subject, greeting: `Hello ${firstName},`, paragraphs: [what, advice], button: null }
}

/** The text of a mail with a link; `minutes` is how long it works. */
export function letterOf(
  kind: Exclude<MailKind, NoticeKind>,
  { firstName, link, minutes }: { firstName: string; link: string; minutes: number },
): Letter {
  const greeting = `Hello ${firstName},`
  const works = `The link works once, for ${durationText(minutes)}.`
  return kind === 'verify-email'
    ? {
        subject: 'Verify your email address',
        greeting,
        paragraphs: [
          'Somebody registered at Coffer with this email address. If that was you, verify it here.',
          `${works} If it was not you, nothing needs to be done.`,
        ],
        button: { label: 'Verify email address', url: link },
      }
    : {
        subject: 'Reset your password',
        greeting,
        paragraphs: [
          'Somebody asked for a new password for your Coffer login. If that was you, set it here.',
          `${works} If it was not you, nothing needs to be done: your password stays as it is.`,
        ],
        button: { label: 'Set a new password', url: link },
      }
}

function durationText(minutes: number): string {
  const isHours = minutes % 60 === 0
  const count = isHours ? minutes / 60 : minutes
  return `${count} ${isHours ? 'hour' : 'minute'}${count === 1 ? '' : 's'}`
}
