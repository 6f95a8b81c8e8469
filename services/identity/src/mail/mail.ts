import { dayMs } from '@coffer/kit/values/time'
import { z } from 'zod'

/** A queued mail. The recipient's login is looked up when the mail is sent, not before. */
export const Mail = z.object({
  mailId: z.string(),
  kind: z.enum([
    'verify-email',
    'reset-password',
    'change-email',
    'password-changed',
    'authenticator-enabled',
    'authenticator-disabled',
    'recovery-codes-renewed',
    'wrong-codes',
    'second-factor-locked',
    'email-change-requested',
    'email-changed',
    'trial-ending',
    'link-expiring',
    'link-broken',
    'webhook-failing',
    'webhook-gone',
  ]),
  /** Address in lower case. */
  email: z.string(),
  /** The login of a mail whose address may be that of no login, before or after a change. */
  loginId: z.string().nullable(),
  /** The institution of a link over the aggregator; null for other kinds, like the next two. */
  institutionName: z.string().nullable(),
  consentEndsAt: z.date().nullable(),
  /** IANA name of the account's timezone. */
  timezone: z.string().nullable(),
  /** The host of a webhook; null for other kinds. */
  webhookHost: z.string().nullable(),
})
export type Mail = z.infer<typeof Mail>
export type MailKind = Mail['kind']

export type LinkKind = Extract<MailKind, 'verify-email' | 'reset-password' | 'change-email'>

/** A kind of mail about a link over the aggregator. */
export type LinkNoticeKind = Extract<MailKind, 'link-expiring' | 'link-broken'>

/** A kind of mail about a webhook that was switched off. */
export type WebhookNoticeKind = Extract<MailKind, 'webhook-failing' | 'webhook-gone'>

/** A kind of mail, without a link, that reports a change of the credentials, or an attack. */
export type NoticeKind = Exclude<
  MailKind,
  LinkKind | LinkNoticeKind | WebhookNoticeKind | 'trial-ending'
>

/** The link that a mail is about, and when the user's consent ends. */
export interface LinkNotice {
  institutionName: string
  consentEndsAt: Date | null
  timezone: string
}

/** The fields of a login that decide whether it gets a mail, and the salutation. */
export const Recipient = z.object({
  loginId: z.string(),
  firstName: z.string(),
  isDisabled: z.boolean(),
  isEmailVerified: z.boolean(),
})
export type Recipient = z.infer<typeof Recipient>

export const EndingTrial = z.object({
  trialEndsAt: z.date(),
  /** IANA name of the account's timezone. */
  timezone: z.string(),
})
export type EndingTrial = z.infer<typeof EndingTrial>

/** The content of a mail; the templates in `mails/` render it as text and HTML. */
export interface Letter {
  subject: string
  greeting: string
  paragraphs: string[]
  button: { label: string; url: string } | null
}

/**
 * Returns whether the login gets a mail of this kind (docs/sign-in.md#mailed-links). If
 * verification is on, an unverified address gets neither a reset nor a notice of the trial, of a
 * link or of a webhook.
 */
export function isWanted(
  kind: MailKind,
  { isDisabled, isEmailVerified }: Recipient,
  { verifyEmailAddress }: { verifyEmailAddress: boolean },
): boolean {
  if (isDisabled) return false
  if (kind === 'verify-email') return !isEmailVerified
  return !forVerified.has(kind) || isEmailVerified || !verifyEmailAddress
}

const forVerified = new Set<MailKind>([
  'reset-password',
  'trial-ending',
  'link-expiring',
  'link-broken',
  'webhook-failing',
  'webhook-gone',
])

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
  'wrong-codes': {
    subject: 'Wrong codes were entered for your login',
    what:
      'Five wrong codes were entered as the second factor of your Coffer login, by a client that ' +
      'has its password or an open session. Codes are refused for a while, longer each time.',
  },
  'second-factor-locked': {
    subject: 'Your second factor is locked',
    what:
      'After 100 wrong codes in a row Coffer takes neither codes of your authenticator nor ' +
      'recovery codes. A new password, set by the link of a mail, unlocks them.',
  },
  'email-change-requested': {
    subject: 'A new email address was stated',
    what: 'Your Coffer login gets another email address once a link mailed to that one is used.',
  },
  'email-changed': {
    subject: 'Your email address was changed',
    what: 'The email address of your Coffer login is another one now: this one gets no more mail.',
  },
}

/** Returns the salutation. It has no name for unverified logins: a stranger may have set it. */
export function greetingOf({ firstName, isEmailVerified }: Recipient): string {
  return isEmailVerified ? `Hello ${firstName},` : 'Hello,'
}

/** Returns the content of a mail that reports a change of the login's credentials, or an attack. */
export function writeNotice(kind: NoticeKind, { greeting }: Pick<Letter, 'greeting'>): Letter {
  const { subject, what } = notices[kind]
  const advice =
    'If that was not you, ask for a new password at once, and tell the operator of this server.'
  return { subject, greeting, paragraphs: [what, advice], button: null }
}

/** Returns the mail about the end of a trial; names the day in the account's timezone. */
export function writeTrialLetter(
  { trialEndsAt, timezone }: EndingTrial,
  { greeting, now }: { greeting: string; now: Date },
): Letter {
  const format = { dateStyle: 'full', timeZone: timezone } as const
  const day = trialEndsAt.toLocaleDateString('en-US', format)
  const after = 'nothing is deleted: sign in and subscribe to go on as before.'
  if (trialEndsAt <= now) {
    const paragraphs = [
      `The trial of your Coffer account ended on ${day}.`,
      `Your account waits for you, and ${after}`,
    ]
    return { subject: 'Your trial has ended', greeting, paragraphs, button: null }
  }
  const days = Math.floor((trialEndsAt.getTime() - now.getTime()) / dayMs)
  const left = days === 0 ? 'in less than a day' : `in ${days} ${days === 1 ? 'day' : 'days'}`
  const paragraphs = [
    `The trial of your Coffer account ends ${left}, on ${day}.`,
    `After that your account waits for you, and ${after}`,
  ]
  return { subject: 'Your trial is about to end', greeting, paragraphs, button: null }
}

/** Returns the content of a mail with a link, which is valid for `minutes`. */
export function writeLinkLetter(
  kind: LinkKind,
  { greeting, link, minutes }: { greeting: string; link: string; minutes: number },
): Letter {
  const { subject, what, otherwise, label } = linkTexts[kind]
  const works = `The link works once, for ${durationText(minutes)}.`
  const paragraphs = [what, `${works} If it was not you, nothing needs to be done${otherwise}.`]
  return { subject, greeting, paragraphs, button: { label, url: link } }
}

const linkTexts: Record<LinkKind, Record<'subject' | 'what' | 'otherwise' | 'label', string>> = {
  'verify-email': {
    subject: 'Verify your email address',
    what: 'Somebody registered at Coffer with this email address. If that was you, verify it here.',
    otherwise: '',
    label: 'Verify email address',
  },
  'change-email': {
    subject: 'Verify your new email address',
    what: 'Somebody gave a Coffer login this email address. If that was you, verify it here.',
    otherwise: '',
    label: 'Verify email address',
  },
  'reset-password': {
    subject: 'Reset your password',
    what: 'Somebody asked for a new password for your Coffer login. If that was you, set it here.',
    otherwise: ': your password stays as it is',
    label: 'Set a new password',
  },
}

function durationText(minutes: number): string {
  const isHours = minutes % 60 === 0
  const count = isHours ? minutes / 60 : minutes
  return `${count} ${isHours ? 'hour' : 'minute'}${count === 1 ? '' : 's'}`
}
