import { refused } from '@coffer/kit/rpc/errors'
import { EmailService } from '@coffer/proto/identity/v1/email'
import { FeatureService } from '@coffer/proto/identity/v1/feature'
import { PasswordService } from '@coffer/proto/identity/v1/password'
import type { CallOptions } from '@connectrpc/connect'
import type { RouteDeps } from '../deps.ts'
import { answerOf, isUnknownRpc } from '../http/errors/errors.ts'
import { verification } from '../routes/identity/email.ts'
import { passwordReset } from '../routes/identity/security.ts'
import { readForm, submitForm } from './form-submission.ts'
import { type MailRequestKind, mailRequestPart, mailRequests } from './mail-request-pages.ts'
import { type FormField, type Page, relativeUrl } from './page.ts'
import type { PageWords } from './page-words.ts'
import type { PageRoute, PageSubmission, ShownPage } from './pages.ts'

type Call = (sent: { token: string }, options: CallOptions) => Promise<unknown>

type Asked = Pick<PageSubmission, 'options' | 'words'>

/** A kind of mailed link: its paths, its form, and the RPCs that check and consume its token. */
interface LinkPage {
  paths: string[]
  kind: MailRequestKind
  fields: (words: PageWords) => FormField[]
  /** Whether the answer is 404 instead of the form if the settings switch these mails off. */
  canBeOff: boolean
  check: Call
  submit: (fields: Record<string, string>, asked: Asked) => Promise<unknown>
}

/** Returns the pages that mailed links open (docs/api/pages.md). */
export function mailedLinkPages(deps: RouteDeps): PageRoute[] {
  const { mesh, sessions } = deps
  const passwords = mesh.client('identity', PasswordService)
  const emails = mesh.client('identity', EmailService)
  return [
    ...pagesOf(deps, {
      paths: ['/password/reset'],
      kind: 'reset',
      fields: ({ reset }) => [
        { name: 'password', type: 'password', label: reset.password },
        { name: 'repeated', type: 'password', label: reset.repeated },
      ],
      canBeOff: false,
      check: (sent, options) => passwords.checkResetLink(sent, options),
      submit: async ({ repeated, ...sent }, { options, words: { reset } }) => {
        if (!sent.password?.trim()) throw refused(reset.missing)
        const body = readForm(passwordReset, sent)
        if (repeated?.trim() !== body.password) throw refused(reset.differs)
        await passwords.resetPassword(body, options)
        // Clears the cached sessions: the gateway does not know which of them identity has ended.
        sessions.forget(({ kind }) => kind === 'session')
      },
    }),
    ...pagesOf(deps, {
      paths: ['/verify/email', '/verify'],
      kind: 'verification',
      fields: () => [],
      canBeOff: true,
      check: (sent, options) => emails.checkVerificationLink(sent, options),
      submit: async (sent, { options }) => {
        await emails.verifyEmail(readForm(verification, sent), options)
      },
    }),
  ]
}

function pagesOf({ mesh }: RouteDeps, link: LinkPage): PageRoute[] {
  const service = mesh.client('identity', FeatureService)
  const unlessOff = (handler: PageRoute['handler']): PageRoute['handler'] => {
    if (!link.canBeOff) return handler
    return async (sent) => {
      const features = await service.getFeatures({}, sent.options)
      if (features[mailRequests[link.kind].feature]) return handler(sent)
      const { offTitle, off } = sent.words.verification
      return { status: 404, page: { title: offTitle, paragraphs: [off] } }
    }
  }
  const askAgain = async (page: Page, from: string, asked: Asked): Promise<ShownPage> => {
    const { options, words } = asked
    const features = await service.getFeatures({}, options)
    const { paragraphs, form } = mailRequestPart(link.kind, { from, features, words })
    const shown = { ...page, paragraphs: [...page.paragraphs, ...paragraphs] }
    return { status: 400, page: form ? { ...shown, form } : shown }
  }
  /**
   * Shows the form that the mailed link leads to, such as for a new password, if its token is
   * valid; else answers 400 with a form that requests another mail, if the server sends mails.
   */
  const show = async (path: string, token: string, asked: Asked): Promise<ShownPage> => {
    const { options, words } = asked
    if (token.trim() === '') {
      const { title } = words[link.kind]
      return askAgain({ title, paragraphs: [words.noToken] }, path, asked)
    }
    if (!(await isAccepted(link.check({ token }, options)))) {
      const { title, text } = words.notValid
      return askAgain({ title, paragraphs: [text] }, path, asked)
    }
    const features = await service.getFeatures({}, options)
    const isMailed = features[mailRequests[link.kind].feature]
    return formPage(link, { path, token, isMailed, words })
  }
  return link.paths.flatMap((path): PageRoute[] => [
    {
      // GET does not consume the token: mail scanners open links too.
      method: 'GET',
      path,
      handler: unlessOff(({ query, ...asked }) => show(path, query.get('token') ?? '', asked)),
    },
    {
      method: 'POST',
      path,
      attempts: 'refused',
      handler: unlessOff(({ fields, run, ...asked }) => {
        const { words } = asked
        const { doneTitle, done } = words[link.kind]
        const sent = Object.fromEntries(fields)
        return submitForm(() => run(() => link.submit(sent, asked)), {
          done: { title: doneTitle, paragraphs: [done] },
          again: () => show(path, sent.token ?? '', asked),
          words,
        })
      }),
    },
  ])
}

/** Returns false if the service identity refuses the token of a mailed link (400). */
async function isAccepted(checking: Promise<unknown>): Promise<boolean> {
  try {
    await checking
    return true
  } catch (error) {
    // until 0.4: the service identity of 0.2.0 checks a token only when the form is submitted.
    if (isUnknownRpc(error)) return true
    if (answerOf(error, { isRead: true }).status === 400) return false
    throw error
  }
}

/**
 * Returns the page with the form of a mailed link. If the server sends mails, the page links to the
 * one that requests another mail.
 */
function formPage(
  { fields, kind }: LinkPage,
  of: { path: string; token: string; isMailed: boolean; words: PageWords },
): ShownPage {
  const { path, token, isMailed, words } = of
  const { title, button } = words[kind]
  const action = path.slice(path.lastIndexOf('/') + 1)
  const another = {
    label: words.ways.another,
    url: relativeUrl(path, mailRequests[kind].path),
    text: words.ways.anotherText,
  }
  const form = { action, token, fields: fields(words), button }
  return { status: 200, page: { title, paragraphs: [], form, links: isMailed ? [another] : [] } }
}
