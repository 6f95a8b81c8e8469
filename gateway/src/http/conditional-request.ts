import { hash } from 'node:crypto'
import type { DescMessage, MessageShape } from '@bufbuild/protobuf'
import { invalid } from '@coffer/kit/rpc/errors'
import { objectTag } from '@coffer/kit/rpc/object-tag'
import { headers } from '@coffer/kit/rpc/rpc'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { type Answer, type JsonSchema, renderAnswer } from './answers/answer.ts'
import { prefersToJson } from './negotiation.ts'
import type { Call, Route } from './route.ts'

/** Returns the header with the weak ETag of balances or a list at the URL. */
export type VersionTag = (version: bigint, shown: { url: string }) => { etag?: string }

/** An entity tag of a request (RFC 9110, 8.8.3); `tag` is its text without quotes. */
interface SentTag {
  tag: string
  isWeak: boolean
}

// The digest of the own fields, a dot, the digest of the body.
const separator = '.'

// A tag that no object has: it stands for tags which cannot match.
const noTag = 'none'

// A list may have empty elements (RFC 9110, 5.6.1.2).
const tagPattern = /^(W\/)?"([\x21\x23-\x7e\x80-\xff]*)"[ \t]*(?:(?:,[ \t]*)+|$)/

/** Reads a list of entity tags, or `*`; null if the text is neither. */
function readTags(text: string): SentTag[] | '*' | null {
  if (text.trim() === '*') return '*'
  const tags: SentTag[] = []
  let rest = text.replace(/^[\s,]+/, '').trim()
  while (rest !== '') {
    const found = tagPattern.exec(rest)
    if (!found) return null
    tags.push({ tag: found[2] ?? '', isWeak: found[1] !== undefined })
    rest = rest.slice(found[0].length)
  }
  return tags.length > 0 ? tags : null
}

/**
 * Returns the header that passes the condition `If-Match` on to the service of the object; nothing
 * without a condition, or for `*`, which any object meets. Strong comparison: weak tags, and tags
 * of other objects, match nothing. Throws invalid for a malformed list.
 */
export function matchHeaders(request: FastifyRequest): Record<string, string> {
  const sent = request.headers['if-match']
  if (sent === undefined) return {}
  const tags = readTags(sent)
  if (tags === null) {
    const problem = 'must be * or a list of ETags, each in double quotes'
    throw invalid({ 'If-Match': problem }, `If-Match ${problem}`)
  }
  if (tags === '*') return {}
  const own = tags.filter(({ isWeak }) => !isWeak).map(({ tag }) => tag.split(separator)[0] ?? '')
  return { [headers.ifMatch]: own.filter((tag) => /^[\w-]+$/.test(tag)).join(',') || noTag }
}

/**
 * Returns whether the client has the answer with this tag: `If-None-Match` by weak comparison
 * (RFC 9110, 13.1.2). A malformed header counts as not sent.
 */
export function isNotModified(request: FastifyRequest, etag: unknown): boolean {
  const { method, headers: sent } = request
  const isRead = method === 'GET' || method === 'HEAD'
  const condition = sent['if-none-match']
  if (!isRead || condition === undefined || typeof etag !== 'string') return false
  const tags = readTags(condition)
  if (tags === null) return false
  return tags === '*' || tags.some(({ tag }) => `"${tag}"` === etag.replace(/^W\//, ''))
}

/**
 * Returns the strong tag of an answer that shows one object. Its first part depends on the object's
 * own fields alone, for `If-Match`; its second part on all that the body shows.
 */
function strongTag(answer: Answer, value: unknown, body: string): string {
  const { schema, message } = ownPart(answer, value)
  return `"${objectTag(schema, message)}${separator}${digest(body)}"`
}

/** Returns the tag of an object's answer, which is rendered for it. */
function tagOfObject(answer: Answer, value: unknown): string {
  return strongTag(answer, value, JSON.stringify(renderAnswer(answer, value)))
}

function ownPart(
  answer: Answer,
  value: unknown,
): { schema: DescMessage; message: MessageShape<DescMessage> } {
  if ('kind' in answer) return { schema: answer, message: value as MessageShape<DescMessage> }
  if ('message' in answer) {
    const { message } = value as { message: MessageShape<DescMessage> }
    return { schema: answer.message, message }
  }
  throw new Error('this answer shows no single object')
}

/**
 * Returns a function to the header with the weak tag of an answer that shows balances or
 * transactions, by the version of their bank account and the URL. Tags also depend on the revision
 * of this build, which may render the same rows otherwise; without a revision on the OpenAPI
 * document, which is the same in all processes of a build. Version 0 has no tag: it is that of a
 * former ledger, which sends none.
 */
export function createVersionTag(
  { revision }: { revision: string },
  document: () => JsonSchema,
): VersionTag {
  let renderer = revision
  return (version, { url }) => {
    if (version === 0n) return {}
    renderer ||= digest(JSON.stringify(document()))
    const shown = digest(renderer + url).slice(0, 12)
    return { etag: `W/"${version.toString(36)}${separator}${shown}"` }
  }
}

/**
 * Returns whether the client has the version of the list or balances: one look-up in place of the
 * read. Adds the tag of that version to the reply. The tag is that of the answer in JSON: another
 * media type has none.
 */
export async function hasVersion(
  { versionOf, alternative }: Route,
  { params, options, request, reply }: Call,
  versionTag: VersionTag,
): Promise<boolean> {
  const condition = request.headers['if-none-match']
  // With `*` any answer matches: whether there is one, only the read knows.
  if (!versionOf || condition === undefined || condition.trim() === '*') return false
  if (alternative !== undefined && prefersToJson(request, alternative)) return false
  const { etag } = versionTag(await versionOf({ params, options }), request)
  if (etag === undefined || !isNotModified(request, etag)) return false
  reply.header('etag', etag)
  return true
}

/** Adds the tag of the object's present state, as a GET of it has it. */
export async function addCurrentTag(call: Call, read: Route | undefined): Promise<void> {
  if (!read?.answer) return
  // The query is that of the refused change, and none of the read.
  const query = read.query ? read.query.parse({}) : {}
  const value = await Promise.resolve(read.handler({ ...call, query })).catch(() => null)
  if (value) call.reply.header('etag', tagOfObject(read.answer, value))
}

/** Sends an answer with its tag, or 304 without a body to a client that has it. */
export function sendTagged(
  reply: FastifyReply,
  value: unknown,
  { route, body }: { route: Route; body: string },
): FastifyReply {
  const { answer, tagged, method } = route
  // A condition is for successes alone (RFC 9110, 13.2.1): a health of 500 stays 500.
  if (reply.statusCode >= 300) return reply.send(body)
  const shape = typeof tagged === 'string' && answer && 'object' in answer && answer.object[tagged]
  if (answer && tagged === true) {
    reply.header('etag', strongTag(answer, value, body))
  } else if (shape) {
    reply.header('etag', tagOfObject(shape, (value as Record<string, unknown>)[String(tagged)]))
  } else if (method === 'GET' && !reply.hasHeader('etag')) {
    // The Link header is part of a page: it appears when a next page begins.
    reply.header('etag', `W/"${digest(`${reply.getHeader('link') ?? ''}${body}`)}"`)
  }
  if (!isNotModified(reply.request, reply.getHeader('etag'))) return reply.send(body)
  return reply.removeHeader('content-type').code(304).send()
}

function digest(text: string): string {
  return hash('sha256', text, 'base64url').slice(0, 22)
}
