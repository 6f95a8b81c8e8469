import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Eta } from 'eta'
import type { FastifyReply } from 'fastify'
import { addVary } from '../http/compression.ts'
import { languageOf, wordsFor } from './page-words.ts'

/** The content of a page; the template in `pages/` renders it as HTML and escapes every text. */
export interface Page {
  title: string
  paragraphs: string[]
  /** Text of the refusal of the submitted form. */
  fault?: string
  form?: Form
  links?: { label: string; url: string; text: string }[]
}

export interface FormField {
  name: string
  type: 'password' | 'email'
  label: string
}

/** A form; it contains the token of a mailed link if the page has one. */
interface Form {
  /** URL relative to the page, because the external URL of the server may have a path. */
  action: string
  token?: string
  fields: FormField[]
  button: string
}

/** Returns the URL of a path relative to the page `from`: `../` from `/password/reset` to `/`. */
export function relativeUrl(from: string, to: string): string {
  const depth = from.split('/').length - 2
  return `${depth === 0 ? './' : '../'.repeat(depth)}${to.slice(1)}`
}

const views = fileURLToPath(new URL('../../pages', import.meta.url))
const html = new Eta({ views, autoEscape: true, cache: true, defaultExtension: '.html.eta' })
const style = readFileSync(join(views, 'page.css'), 'utf8')
const styleHash = createHash('sha256').update(style).digest('base64')

/**
 * Headers of every page. The CSP allows no script and no resource except the inline style.
 * `strict-origin`: no `Referer` contains the page's URL, which may have a token. With
 * `no-referrer`, browsers would send `Origin: null` with a form, which the CSRF check refuses.
 */
export const pageHeaders = {
  'content-security-policy':
    `default-src 'none'; style-src 'sha256-${styleHash}'; form-action 'self'; ` +
    "base-uri 'none'; frame-ancestors 'none'",
  'referrer-policy': 'strict-origin',
  'content-type': 'text/html; charset=utf-8',
}

/** Sends a page with its headers, in the language that the request prefers. */
export function sendPage(reply: FastifyReply, status: number, page: Page): FastifyReply {
  const { request } = reply
  const words = wordsFor(request)
  const language = languageOf(request)
  // Screen readers announce the title first, so it contains the error.
  const title = page.fault ? words.faultTitle({ title: page.title }) : page.title
  const documentTitle = title.startsWith('Coffer') ? title : words.documentTitle({ title })
  addVary(reply, 'accept-language')
  const text = html.render('page', {
    fault: '',
    form: null,
    links: [],
    ...page,
    documentTitle,
    language,
    style,
  })
  const headers = { ...pageHeaders, 'content-language': language }
  return reply.code(status).headers(headers).send(text)
}
