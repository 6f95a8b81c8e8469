import { EmailService } from '@coffer/proto/identity/v1/email'
import { FeatureService, type GetFeaturesResponse } from '@coffer/proto/identity/v1/feature'
import { PasswordService } from '@coffer/proto/identity/v1/password'
import type { CallOptions } from '@connectrpc/connect'
import type { RouteDeps } from '../deps.ts'
import { mailRequest } from '../routes/identity/email.ts'
import { readForm, submitForm } from './form-submission.ts'
import { type Page, relativeUrl } from './page.ts'
import type { PageRoute, ShownPage } from './pages.ts'

/** A kind of mailed link that a person asks for: on which page, and in which words. */
interface MailRequest {
  path: string
  title: string
  button: string
  feature: 'allowForgotPassword' | 'verifyEmailAddress'
  /** Shown in place of the form on a server that sends no such mail. */
  off: string
  /** The path of the JSON endpoint. */
  endpoint: string
}

export const mailRequests = {
  reset: {
    path: '/password/forgot',
    title: 'Ask for a new password',
    button: 'Mail a link for a new password',
    feature: 'allowForgotPassword',
    off:
      'This server mails no links for new passwords. Ask its operator, who can print one with ' +
      'coffer login:reset-password.',
    endpoint: '/api/authentication/forgot',
  },
  verification: {
    path: '/verify/resend',
    title: 'Ask for another verification mail',
    button: 'Mail a link to verify the address',
    feature: 'verifyEmailAddress',
    off: 'This server does not verify email addresses. You can sign in without it.',
    endpoint: '/api/authentication/verify/resend',
  },
} as const satisfies Record<string, MailRequest>

export type MailRequestKind = keyof typeof mailRequests

const ask = 'Here you get another mail with a new link.'

const sent: Page = {
  title: 'Look into your mailbox',
  paragraphs: [
    'If a login has this address, a mail with a link is on its way.',
    'No mail after some minutes? Look among the unwanted mails, and check the address.',
  ],
}

/**
 * Returns the part of a page that asks for another mail: a form, or where it cannot be sent from a
 * page, the way to it. Proof of work needs a program, because pages have no scripts.
 */
export function mailRequestPart(
  kind: MailRequestKind,
  { from, features }: { from: string; features: GetFeaturesResponse },
): Pick<Page, 'paragraphs' | 'form'> {
  const { path, button, feature, off, endpoint } = mailRequests[kind]
  if (!features[feature]) return { paragraphs: [off] }
  if (features.proofOfWorkEnabled) {
    const text =
      'This server asks for a proof of work before it sends a mail, which this page cannot do. ' +
      `Ask in your app; programs send POST ${endpoint}.`
    return { paragraphs: [text] }
  }
  const fields = [{ name: 'email', type: 'email', label: 'Email address of your login' } as const]
  return { paragraphs: [ask], form: { action: relativeUrl(from, path), fields, button } }
}

/** Returns the pages where people ask for another mail (docs/api/pages.md). */
export function mailRequestPages({ mesh }: RouteDeps): PageRoute[] {
  const passwords = mesh.client('identity', PasswordService)
  const emails = mesh.client('identity', EmailService)
  const features = mesh.client('identity', FeatureService)
  const calls = {
    reset: (body: { email: string }, options: CallOptions) =>
      passwords.forgotPassword(body, options),
    verification: (body: { email: string }, options: CallOptions) =>
      emails.resendVerification(body, options),
  }
  const show = async (kind: MailRequestKind, options: CallOptions): Promise<ShownPage> => {
    const { title, path, feature } = mailRequests[kind]
    const offered = await features.getFeatures({}, options)
    const part = mailRequestPart(kind, { from: path, features: offered })
    return { status: offered[feature] ? 200 : 404, page: { title, ...part } }
  }
  return (['reset', 'verification'] as const).flatMap((kind): PageRoute[] => {
    const { path } = mailRequests[kind]
    return [
      { method: 'GET', path, handler: ({ options }) => show(kind, options) },
      {
        method: 'POST',
        path,
        // Successes count too: each may send a mail to the address of another person.
        attempts: 'all',
        handler: async ({ fields, options, run }) => {
          const shown = await show(kind, options)
          if (!shown.page.form) return { ...shown, status: shown.status === 404 ? 404 : 400 }
          const form = Object.fromEntries(fields)
          const send = () => calls[kind](readForm(mailRequest, form), options)
          return submitForm(() => run(send), { done: sent, again: () => shown })
        },
      },
    ]
  })
}
