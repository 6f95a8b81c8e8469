import { EmailService } from '@coffer/proto/identity/v1/email'
import { FeatureService, type GetFeaturesResponse } from '@coffer/proto/identity/v1/feature'
import { PasswordService } from '@coffer/proto/identity/v1/password'
import type { CallOptions } from '@connectrpc/connect'
import type { RouteDeps } from '../deps.ts'
import { mailRequest } from '../routes/identity/email.ts'
import { readForm, submitForm } from './form-submission.ts'
import { type Page, relativeUrl } from './page.ts'
import type { PageWords } from './page-words.ts'
import type { PageRoute, PageSubmission, ShownPage } from './pages.ts'

/** A kind of mailed link, and the page on which a user requests it. */
interface MailRequest {
  path: string
  feature: 'allowForgotPassword' | 'verifyEmailAddress'
  /** Path of the corresponding JSON endpoint. */
  endpoint: string
}

export const mailRequests = {
  reset: {
    path: '/password/forgot',
    feature: 'allowForgotPassword',
    endpoint: '/api/authentication/forgot',
  },
  verification: {
    path: '/verify/resend',
    feature: 'verifyEmailAddress',
    endpoint: '/api/authentication/verify/resend',
  },
} as const satisfies Record<string, MailRequest>

export type MailRequestKind = keyof typeof mailRequests

/**
 * Returns the part of a page that requests another mail: a form, or else instructions. A form is
 * impossible if the server requires proof of work, because these pages have no scripts.
 */
export function mailRequestPart(
  kind: MailRequestKind,
  of: { from: string; features: GetFeaturesResponse; words: PageWords },
): Pick<Page, 'paragraphs' | 'form'> {
  const { features, from, words } = of
  const { path, feature, endpoint } = mailRequests[kind]
  if (!features[feature]) return { paragraphs: [words[kind].off] }
  if (features.proofOfWorkEnabled) return { paragraphs: [words.ask.work({ endpoint })] }
  const fields = [{ name: 'email', type: 'email', label: words.ask.email } as const]
  const form = { action: relativeUrl(from, path), fields, button: words[kind].askButton }
  return { paragraphs: [words.ask.text], form }
}

function sentPage({ ask }: PageWords): Page {
  return { title: ask.sentTitle, paragraphs: [ask.sent, ask.notSent] }
}

/** Returns the pages on which users request another mail (docs/api/pages.md). */
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
  const show = async (
    kind: MailRequestKind,
    { options, words }: Pick<PageSubmission, 'options' | 'words'>,
  ): Promise<ShownPage> => {
    const { path, feature } = mailRequests[kind]
    const offered = await features.getFeatures({}, options)
    const part = mailRequestPart(kind, { from: path, features: offered, words })
    return { status: offered[feature] ? 200 : 404, page: { title: words[kind].askTitle, ...part } }
  }
  return (['reset', 'verification'] as const).flatMap((kind): PageRoute[] => {
    const { path } = mailRequests[kind]
    return [
      { method: 'GET', path, handler: (asked) => show(kind, asked) },
      {
        method: 'POST',
        path,
        // Counts successes too, as each may send a mail to an address of another person.
        attempts: 'all',
        handler: async ({ fields, options, words, run }) => {
          const shown = await show(kind, { options, words })
          if (!shown.page.form) return { ...shown, status: shown.status === 404 ? 404 : 400 }
          const form = Object.fromEntries(fields)
          const send = () => calls[kind](readForm(mailRequest, form), options)
          return submitForm(() => run(send), { done: sentPage(words), again: () => shown, words })
        },
      },
    ]
  })
}
