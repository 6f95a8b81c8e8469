import { refused } from '@coffer/kit/rpc/errors'
import { EmailService } from '@coffer/proto/identity/v1/email'
import { FeatureService } from '@coffer/proto/identity/v1/feature'
import { PasswordService } from '@coffer/proto/identity/v1/password'
import type { CallOptions } from '@connectrpc/connect'
import type { z } from 'zod'
import type { RouteDeps } from '../deps.ts'
import { readFields } from '../http/bodies/body.ts'
import { answerOf } from '../http/errors/errors.ts'
import { verification } from '../routes/identity/email.ts'
import { passwordReset } from '../routes/identity/security.ts'
import { type Page, sentenceOf } from './page.ts'
import type { PageRoute, PageSubmission, ShownPage } from './pages.ts'

/** A kind of mailed link: its paths, its form, and the RPC that the form calls. */
interface LinkPage {
  paths: string[]
  title: string
  passwords: { name: string; label: string }[]
  button: string
  done: Page
  /** Shown with 404 in place of the form where the server does not offer this. */
  off?: { page: Page; isOff: (options: CallOptions) => Promise<boolean> }
  submit: (fields: Record<string, string>, options: CallOptions) => Promise<unknown>
}

const noToken = 'This page needs the link from the mail: open the whole link again.'
const noPassword = 'Enter a new password of 8 to 72 characters, twice.'

const notVerified: Page = {
  title: 'Email addresses are not verified here',
  paragraphs: ['This server does not verify email addresses. You can sign in without it.'],
}

/** Returns the pages of the links in mails (docs/sign-in.md#pages-of-the-links). */
export function mailedLinkPages({ mesh, sessions }: RouteDeps): PageRoute[] {
  const passwords = mesh.client('identity', PasswordService)
  const emails = mesh.client('identity', EmailService)
  const features = mesh.client('identity', FeatureService)
  return [
    ...pagesOf({
      paths: ['/password/reset'],
      title: 'Set a new password',
      passwords: [
        { name: 'password', label: 'New password, 8 to 72 characters' },
        { name: 'repeated', label: 'The new password again' },
      ],
      button: 'Set the new password',
      done: {
        title: 'Your password is changed',
        paragraphs: ['Every session has ended: sign in again with the new password.'],
      },
      submit: async ({ repeated, ...sent }, options) => {
        if (!sent.password?.trim()) throw refused(noPassword)
        const body = readForm(passwordReset, sent)
        if (repeated?.trim() !== body.password) throw refused('The two passwords differ.')
        await passwords.resetPassword(body, options)
        // The gateway does not know which sessions ended, so it verifies all of them again.
        sessions.forget(({ kind }) => kind === 'session')
      },
    }),
    ...pagesOf({
      paths: ['/verify/email', '/verify'],
      title: 'Verify your email address',
      passwords: [],
      button: 'Verify email address',
      done: { title: 'Your email address is verified', paragraphs: ['You can sign in now.'] },
      off: {
        page: notVerified,
        isOff: async (options) => !(await features.getFeatures({}, options)).verifyEmailAddress,
      },
      submit: async (sent, options) => {
        await emails.verifyEmail(readForm(verification, sent), options)
      },
    }),
  ]
}

function pagesOf(link: LinkPage): PageRoute[] {
  const unlessOff = (handler: PageRoute['handler']): PageRoute['handler'] => {
    const { off } = link
    if (!off) return handler
    return async (sent) => {
      return (await off.isOff(sent.options)) ? { status: 404, page: off.page } : handler(sent)
    }
  }
  return link.paths.flatMap((path): PageRoute[] => {
    // Reading the page uses up no token: programs that scan mails open links too.
    const show = unlessOff(({ query }) => formPage(link, path, query.get('token') ?? ''))
    const post = unlessOff((sent) => submit(link, path, sent))
    return [
      { method: 'GET', path, handler: show },
      { method: 'POST', path, attempts: 'refused', handler: post },
    ]
  })
}

async function submit(
  link: LinkPage,
  path: string,
  { fields, options, run }: PageSubmission,
): Promise<ShownPage> {
  const sent = Object.fromEntries(fields)
  try {
    await run(() => link.submit(sent, options))
    return { status: 200, page: link.done }
  } catch (error) {
    const { status, body } = answerOf(error, { isRead: false })
    if (status !== 400) throw error
    const shown = formPage(link, path, sent.token ?? '')
    return { status, page: { ...shown.page, fault: faultOf(body) } }
  }
}

function formPage(link: LinkPage, path: string, token: string): ShownPage {
  const { title, passwords, button } = link
  if (token === '') return { status: 400, page: { title, paragraphs: [noToken] } }
  const action = path.slice(path.lastIndexOf('/') + 1)
  return {
    status: 200,
    page: { title, paragraphs: [], form: { action, token, passwords, button } },
  }
}

/** Parses the fields of a form that its schema has; throws invalid as for a JSON body. */
function readForm<Schema extends z.ZodObject>(
  schema: Schema,
  sent: Record<string, string>,
): z.output<Schema> {
  const known = Object.keys(schema.shape).flatMap((name) => {
    return sent[name] === undefined ? [] : [[name, sent[name]] as const]
  })
  return readFields(schema, Object.fromEntries(known))
}

/** Returns a refusal as a sentence: that of the password, or of the whole form. */
function faultOf({ error, problems }: { error: string; problems?: unknown }): string {
  const { password, token } = Object(problems) as Record<string, unknown>
  if (typeof password === 'string') return `The password ${password}.`
  return typeof token === 'string' ? noToken : sentenceOf(error)
}
