import { refused } from '@coffer/kit/rpc/errors'
import { EmailService } from '@coffer/proto/identity/v1/email'
import { FeatureService } from '@coffer/proto/identity/v1/feature'
import { PasswordService } from '@coffer/proto/identity/v1/password'
import type { CallOptions } from '@connectrpc/connect'
import type { RouteDeps } from '../deps.ts'
import { answerOf, isUnknownRpc } from '../http/errors/errors.ts'
import { verification } from '../routes/identity/email.ts'
import { passwordReset } from '../routes/identity/security.ts'
import { noToken, readForm, submitForm } from './form-submission.ts'
import { type MailRequestKind, mailRequestPart, mailRequests } from './mail-request-pages.ts'
import { type FormField, type Page, relativeUrl } from './page.ts'
import type { PageRoute, ShownPage } from './pages.ts'

type Call = (sent: { token: string }, options: CallOptions) => Promise<unknown>

/** A kind of mailed link: its paths, its form, and the RPCs that check and use its token. */
interface LinkPage {
  paths: string[]
  kind: MailRequestKind
  title: string
  fields: FormField[]
  button: string
  done: Page
  /** Shown with 404 in place of the form where the server does not offer this. */
  off?: Page
  check: Call
  submit: (fields: Record<string, string>, options: CallOptions) => Promise<unknown>
}

const noPassword = 'Enter a new password of 8 to 72 characters, twice.'

const notValid: Page = {
  title: 'This link does not work any more',
  paragraphs: ['It was used, has expired, or a newer one took its place.'],
}

const notVerified: Page = {
  title: 'Email addresses are not verified here',
  paragraphs: ['This server does not verify email addresses. You can sign in without it.'],
}

/** Returns the pages of the links in mails (docs/api/pages.md). */
export function mailedLinkPages(deps: RouteDeps): PageRoute[] {
  const { mesh, sessions } = deps
  const passwords = mesh.client('identity', PasswordService)
  const emails = mesh.client('identity', EmailService)
  return [
    ...pagesOf(deps, {
      paths: ['/password/reset'],
      kind: 'reset',
      title: 'Set a new password',
      fields: [
        { name: 'password', type: 'password', label: 'New password, 8 to 72 characters' },
        { name: 'repeated', type: 'password', label: 'The new password again' },
      ],
      button: 'Set the new password',
      done: {
        title: 'Your password is changed',
        paragraphs: ['Every session has ended: sign in again with the new password.'],
      },
      check: (sent, options) => passwords.checkResetLink(sent, options),
      submit: async ({ repeated, ...sent }, options) => {
        if (!sent.password?.trim()) throw refused(noPassword)
        const body = readForm(passwordReset, sent)
        if (repeated?.trim() !== body.password) throw refused('The two passwords differ.')
        await passwords.resetPassword(body, options)
        // The gateway does not know which sessions ended, so it verifies all of them again.
        sessions.forget(({ kind }) => kind === 'session')
      },
    }),
    ...pagesOf(deps, {
      paths: ['/verify/email', '/verify'],
      kind: 'verification',
      title: 'Verify your email address',
      fields: [],
      button: 'Verify email address',
      done: { title: 'Your email address is verified', paragraphs: ['You can sign in now.'] },
      off: notVerified,
      check: (sent, options) => emails.checkVerificationLink(sent, options),
      submit: async (sent, options) => {
        await emails.verifyEmail(readForm(verification, sent), options)
      },
    }),
  ]
}

function pagesOf({ mesh }: RouteDeps, link: LinkPage): PageRoute[] {
  const service = mesh.client('identity', FeatureService)
  const unlessOff = (handler: PageRoute['handler']): PageRoute['handler'] => {
    const { off, kind } = link
    if (!off) return handler
    return async (sent) => {
      const features = await service.getFeatures({}, sent.options)
      return features[mailRequests[kind].feature] ? handler(sent) : { status: 404, page: off }
    }
  }
  const askAgain = async (page: Page, from: string, options: CallOptions): Promise<ShownPage> => {
    const features = await service.getFeatures({}, options)
    const { paragraphs, form } = mailRequestPart(link.kind, { from, features })
    const asked = { ...page, paragraphs: [...page.paragraphs, ...paragraphs] }
    return { status: 400, page: form ? { ...asked, form } : asked }
  }
  /** The form of a token that works; else the form that asks for another mail, with 400. */
  const show = async (path: string, token: string, options: CallOptions): Promise<ShownPage> => {
    if (token.trim() === '') {
      return askAgain({ title: link.title, paragraphs: [noToken] }, path, options)
    }
    const isValid = await isAccepted(link.check({ token }, options))
    if (!isValid) return askAgain(notValid, path, options)
    const features = await service.getFeatures({}, options)
    return formPage(link, { path, token, isMailed: features[mailRequests[link.kind].feature] })
  }
  return link.paths.flatMap((path): PageRoute[] => [
    {
      // Reading the page uses up no token: programs that scan mails open links too.
      method: 'GET',
      path,
      handler: unlessOff(({ query, options }) => show(path, query.get('token') ?? '', options)),
    },
    {
      method: 'POST',
      path,
      attempts: 'refused',
      handler: unlessOff(({ fields, options, run }) => {
        const sent = Object.fromEntries(fields)
        const again = () => show(path, sent.token ?? '', options)
        return submitForm(() => run(() => link.submit(sent, options)), { done: link.done, again })
      }),
    },
  ])
}

/** Returns false if identity refuses the token of a link (400). */
async function isAccepted(checking: Promise<unknown>): Promise<boolean> {
  try {
    await checking
    return true
  } catch (error) {
    // until 0.4: an identity of 0.2.0 checks a token only when it is used.
    if (isUnknownRpc(error)) return true
    if (answerOf(error, { isRead: true }).status === 400) return false
    throw error
  }
}

/** The form of a link; where the server mails such links, with the page that asks for another. */
function formPage(
  { title, fields, button, kind }: LinkPage,
  { path, token, isMailed }: { path: string; token: string; isMailed: boolean },
): ShownPage {
  const action = path.slice(path.lastIndexOf('/') + 1)
  const another = {
    label: 'Another mail',
    url: relativeUrl(path, mailRequests[kind].path),
    text: 'if this link does not work',
  }
  const form = { action, token, fields, button }
  return { status: 200, page: { title, paragraphs: [], form, links: isMailed ? [another] : [] } }
}
