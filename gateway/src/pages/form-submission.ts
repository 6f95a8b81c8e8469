import type { z } from 'zod'
import { readFields } from '../http/bodies/body.ts'
import { answerOf } from '../http/errors/errors.ts'
import { type Page, sentenceOf } from './page.ts'
import type { ShownPage } from './pages.ts'

/** Shown for a missing token, in place of the form or beside it. */
export const noToken = 'This page needs the link from the mail: open the whole link again.'

/**
 * Runs the submission of a form; returns the page `done`, or for a refusal with 400 the page
 * `again`: with the refusal in words, unless that page has another status than 200 and says why.
 * Rethrows other errors.
 */
export async function submitForm(
  attempt: () => Promise<unknown>,
  pages: { done: Page; again: () => ShownPage | Promise<ShownPage> },
): Promise<ShownPage> {
  try {
    await attempt()
    return { status: 200, page: pages.done }
  } catch (error) {
    const { status, body } = answerOf(error, { isRead: false })
    if (status !== 400) throw error
    const { page, status: againStatus } = await pages.again()
    return { status, page: againStatus === 200 ? { ...page, fault: faultOf(body) } : page }
  }
}

/** Parses the fields of a form that its schema has; throws invalid as for a JSON body. */
export function readForm<Schema extends z.ZodObject>(
  schema: Schema,
  sent: Record<string, string>,
): z.output<Schema> {
  const known = Object.keys(schema.shape).flatMap((name) => {
    return sent[name] === undefined ? [] : [[name, sent[name]] as const]
  })
  return readFields(schema, Object.fromEntries(known))
}

/** Returns a refusal as a sentence: that of a field, or of the whole form. */
function faultOf({ error, problems }: { error: string; problems?: unknown }): string {
  const { password, email, token } = Object(problems) as Record<string, unknown>
  if (typeof password === 'string') return `The password ${password}.`
  if (typeof email === 'string') return `The email address ${email}.`
  return typeof token === 'string' ? noToken : sentenceOf(error)
}
