import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Eta } from 'eta'
import type { FastifyReply } from 'fastify'

/** The content of a page; the template in `pages/` renders it as HTML and escapes every text. */
export interface Page {
  title: string
  paragraphs: string[]
  /** The refusal of the form that was sent, in words. */
  fault?: string
  form?: Form
  links?: { label: string; url: string; text: string }[]
}

export interface FormField {
  name: string
  type: 'password' | 'email'
  label: string
}

/** A form that is posted, with the token of a mailed link if the page has one. */
interface Form {
  /** URL relative to the page, because the server may be below a path of its host. */
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
 * Headers of every page. The CSP allows no script and no other resource than the style in the page.
 * `strict-origin`: no request names the page's URL, which may have a token. With `no-referrer`
 * browsers would send `Origin: null` with a form, which the CSRF check refuses.
 */
export const pageHeaders = {
  'content-security-policy':
    `default-src 'none'; style-src 'sha256-${styleHash}'; form-action 'self'; ` +
    "base-uri 'none'; frame-ancestors 'none'",
  'referrer-policy': 'strict-origin',
  'content-type': 'text/html; charset=utf-8',
}

/** Returns the text of an error as a sentence: with a capital letter and a full stop. */
export function sentenceOf(error: string): string {
  return `${error.slice(0, 1).toUpperCase()}${error.slice(1)}${/[.!?]$/.test(error) ? '' : '.'}`
}

/** Sends a page with its headers. */
export function sendPage(reply: FastifyReply, status: number, page: Page): FastifyReply {
  // Screen readers say the title of a page first.
  const named = page.fault ? `Error: ${page.title}` : page.title
  const documentTitle = named.startsWith('Coffer') ? named : `${named} – Coffer`
  const text = html.render('page', {
    fault: '',
    form: null,
    links: [],
    ...page,
    documentTitle,
    style,
  })
  return reply.code(status).headers(pageHeaders).send(text)
}
