import type { z } from 'zod'
import { readFields } from '../http/bodies/body.ts'
import { answerOf } from '../http/errors/errors.ts'
import type { Page } from './page.ts'
import { faultWords, type PageWords } from './page-words.ts'
import type { ShownPage } from './pages.ts'

/**
 * Runs the submission of a form. Returns the page `done`, or after a refusal with 400 the page
 * `again`. That page shows the text of the refusal, unless it has a status other than 200 and so
 * explains a problem of its own. Rethrows other errors.
 */
export async function submitForm(
  attempt: () => Promise<unknown>,
  pages: { done: Page; again: () => ShownPage | Promise<ShownPage>; words: PageWords },
): Promise<ShownPage> {
  try {
    await attempt()
    return { status: 200, page: pages.done }
  } catch (error) {
    const { status, body } = answerOf(error, { isRead: false })
    if (status !== 400) throw error
    const { page, status: againStatus } = await pages.again()
    return {
      status,
      page: againStatus === 200 ? { ...page, fault: faultWords(pages.words, body) } : page,
    }
  }
}

/** Parses the fields of a form by a schema, ignoring others. Throws invalid as for a JSON body. */
export function readForm<Schema extends z.ZodObject>(
  schema: Schema,
  sent: Record<string, string>,
): z.output<Schema> {
  const known = Object.keys(schema.shape).flatMap((name) => {
    return sent[name] === undefined ? [] : [[name, sent[name]] as const]
  })
  return readFields(schema, Object.fromEntries(known))
}
