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
  /** Set if the address may differ from that of the login, before or after a change of address. */
  loginId: z.string().nullable(),
  /** The institution of an aggregator link; null for other kinds, as are the next two fields. */
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

/** A kind of mail about an aggregator link. */
export type LinkNoticeKind = Extract<MailKind, 'link-expiring' | 'link-broken'>

/** A kind of mail about a webhook that was switched off. */
export type WebhookNoticeKind = Extract<MailKind, 'webhook-failing' | 'webhook-gone'>

/** A kind of mail, without a link, that reports a change of the credentials, or an attack. */
export type NoticeKind = Exclude<
  MailKind,
  LinkKind | LinkNoticeKind | WebhookNoticeKind | 'trial-ending'
>

/** The aggregator link that a mail is about, and when the user's consent ends. */
export interface LinkNotice {
  institutionName: string
  consentEndsAt: Date | null
  timezone: string
}

/** The fields of a login that determine whether it gets a mail, the language and the salutation. */
export const Recipient = z.object({
  loginId: z.string(),
  firstName: z.string(),
  isDisabled: z.boolean(),
  isEmailVerified: z.boolean(),
  /** Locale of the account, which determines the language; null for a login without an account. */
  locale: z.string().nullable(),
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
  /** Language of the texts (BCP 47). */
  language: string
  subject: string
  greeting: string
  paragraphs: string[]
  button: { label: string; url: string; otherwise: string } | null
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
