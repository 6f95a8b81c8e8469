import { refused } from '@coffer/kit/rpc/errors'
import { asCaller, headers } from '@coffer/kit/rpc/rpc'
import type { Log } from '@coffer/kit/service/log'
import type { CallOptions } from '@connectrpc/connect'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Attempts } from '../auth/attempts.ts'
import type { Origins } from '../auth/origins.ts'
import type { Sessions } from '../auth/session.ts'
import { mediaType, wrongType } from '../http/bodies/body.ts'
import { requireNoCoding } from '../http/bodies/content-coding.ts'
import { answerOf } from '../http/errors/errors.ts'
import type { Counting } from '../http/route.ts'
import { type Page, pageHeaders, relativeUrl, sendPage } from './page.ts'
import { faultWords, type PageWords, wordsFor } from './page-words.ts'

export interface ShownPage {
  status: number
  page: Page
}

/** A request for a page. */
export interface PageSubmission {
  query: URLSearchParams
  /** The fields of the posted form; empty for GET. */
  fields: URLSearchParams
  options: CallOptions
  /** Texts in the language of the request. */
  words: PageWords
  /** Runs an attempt under the rate limit of its network. */
  run: (attempt: () => Promise<unknown>) => Promise<unknown>
}

/** An HTML page for users, which is not in the OpenAPI document. GET also answers HEAD. */
export interface PageRoute {
  method: 'GET' | 'POST'
  path: string
  /** Rate limit by network, as for routes. */
  attempts?: Counting
  handler: (request: PageSubmission) => ShownPage | Promise<ShownPage>
}

interface PageDeps {
  log: Log
  origins: Origins
  sessions: Sessions
  attempts: Attempts
}

const formType = 'application/x-www-form-urlencoded'

/** Maximum size in bytes of a posted form. */
const formBytesMax = 16_384

/**
 * Registers pages. Refusals and failures are rendered as pages too, with the text of the JSON
 * answer.
 */
export function mountPages(app: FastifyInstance, pages: readonly PageRoute[], deps: PageDeps) {
  for (const page of pages) {
    app.route({
      method: page.method === 'GET' ? ['GET', 'HEAD'] : page.method,
      url: page.path,
      bodyLimit: formBytesMax,
      onRequest: async (request, reply) => {
        reply.headers(pageHeaders)
        if (page.method !== 'GET') deps.origins.refuseForeign(request)
      },
      errorHandler: (error, request, reply) => sendFault(deps.log, { error, request, reply }),
      handler: async (request, reply) => {
        if (page.method !== 'GET') requireNoCoding(request, reply)
        const { status, page: shown } = await page.handler(submissionOf(page, request, deps))
        return sendPage(reply, status, withWaysOn(page.path, shown, wordsFor(request)))
      },
    })
  }
}

/** Adds the links that every page has, so that no page is a dead end. */
function withWaysOn(path: string, { links = [], ...page }: Page, { ways }: PageWords): Page {
  if (path === '/') return { ...page, links }
  const reference = {
    label: ways.reference,
    url: relativeUrl(path, '/api/reference'),
    text: ways.referenceText,
  }
  const start = { label: ways.signIn, url: relativeUrl(path, '/'), text: ways.signInText }
  return { ...page, links: [...links, start, reference] }
}

function submissionOf(
  { method, attempts: counting }: PageRoute,
  request: FastifyRequest,
  { sessions, attempts }: PageDeps,
): PageSubmission {
  return {
    query: new URL(request.url, 'http://localhost').searchParams,
    fields: method === 'GET' ? new URLSearchParams() : readFormBody(request),
    options: {
      ...asCaller(sessions.anonymous()),
      headers: { [headers.requestId]: request.id },
    },
    words: wordsFor(request),
    run: (attempt) => attempts.run(request, attempt, counting),
  }
}

/** Parses a form in the encoding of browsers (WHATWG URL, application/x-www-form-urlencoded). */
function readFormBody({ body, headers: sent }: FastifyRequest): URLSearchParams {
  if (mediaType(sent['content-type']) !== formType) throw wrongType(formType)
  if (!(body instanceof Uint8Array)) throw refused('the form is empty')
  return new URLSearchParams(new TextDecoder().decode(body))
}

function sendFault(
  log: Log,
  { error, request, reply }: { error: unknown; request: FastifyRequest; reply: FastifyReply },
): FastifyReply {
  const { id, method, routeOptions } = request
  const { status, body, retryAfterSeconds } = answerOf(error, { isRead: method !== 'POST' })
  if (status === 500) {
    log.error({ err: error, requestId: id, method, route: routeOptions.url }, 'request failed')
  }
  if (retryAfterSeconds) reply.header('retry-after', retryAfterSeconds)
  const words = wordsFor(request)
  const wait = retryAfterSeconds ? [words.again({ seconds: retryAfterSeconds })] : []
  const title = status < 500 ? words.refused : words.failed
  const text = status === 413 ? words.formTooLarge : faultWords(words, { error: body.error })
  const page = { title, paragraphs: [text, ...wait] }
  return sendPage(reply, status, withWaysOn(routeOptions.url ?? '/', page, words))
}
