import { hash } from 'node:crypto'
import type { DescMessage, MessageShape } from '@bufbuild/protobuf'
import { invalid } from '@coffer/kit/rpc/errors'
import { objectTag } from '@coffer/kit/rpc/object-tag'
import { headers } from '@coffer/kit/rpc/rpc'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { type Answer, type JsonSchema, writeAnswer } from './answers/answer.ts'
import { prefersToJson } from './negotiation.ts'
import type { Call, Route } from './route.ts'

/** Returns the ETag header (weak) for balances or a list at the URL. */
export type VersionTag = (version: bigint, shown: { url: string }) => { etag?: string }

/** An entity tag of a request (RFC 9110, 8.8.3); `tag` is its text without quotes. */
interface SentTag {
  tag: string
  isWeak: boolean
}

// Separates the two parts of a strong tag: digest of the object's own fields, digest of the body.
const separator = '.'

// A tag that no object has, so that it never matches.
const noTag = 'none'

// Allows several commas in a row: a list may contain empty elements (RFC 9110, 5.6.1.2).
const tagPattern = /^(W\/)?"([\x21\x23-\x7e\x80-\xff]*)"[ \t]*(?:(?:,[ \t]*)+|$)/

/** Parses a list of entity tags, or `*`; null if invalid. */
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
 * Returns the headers that pass `If-Match` to the service of the object; empty without a condition,
 * or for `*`, which every object meets. Strong comparison: weak tags, and tags of other objects,
 * never match. Throws invalid for a malformed list.
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
 * Returns whether the client already has the answer with this tag: `If-None-Match` by weak
 * comparison (RFC 9110, 13.1.2). A malformed header is ignored.
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
 * Returns the strong tag of an object's answer. Its first part depends only on the object's own
 * fields, for `If-Match`; its second part on the whole body.
 */
function strongTag(answer: Answer, value: unknown, body: string): string {
  const { schema, message } = ownPart(answer, value)
  return `"${objectTag(schema, message)}${separator}${digest(body)}"`
}

/** Renders an object's answer, and returns its tag. */
function tagOfObject(answer: Answer, value: unknown): string {
  return strongTag(answer, value, writeAnswer(answer, value))
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
 * Returns a function that creates the weak tag of balances or a list of transactions, from the
 * version of the bank account and the URL. Tags also depend on the revision of the build, because
 * other builds may render the same rows differently; without a revision, on the OpenAPI document,
 * which is equal in all processes of a build. For version 0, sent by older ledgers that have no
 * version, there is no tag.
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
 * Adds the tag of the list's or balances' version to the reply, and returns whether the client has
 * it already: a cheap look-up instead of the read. The tag is for JSON only; other media types have
 * none.
 */
export async function hasVersion(
  { versionOf, alternative }: Route,
  { params, options, request, reply }: Call,
  versionTag: VersionTag,
): Promise<boolean> {
  const condition = request.headers['if-none-match']
  // `*` matches any existing answer, and only the read shows whether one exists.
  if (!versionOf || condition === undefined || condition.trim() === '*') return false
  if (alternative !== undefined && prefersToJson(request, alternative)) return false
  const { etag } = versionTag(await versionOf({ params, options }), request)
  if (etag === undefined || !isNotModified(request, etag)) return false
  reply.header('etag', etag)
  return true
}

/** Adds the tag of the object's current state, equal to that of its GET. */
export async function addCurrentTag(call: Call, read: Route | undefined): Promise<void> {
  if (!read?.answer) return
  // Default query of the read; the call has the query of the refused change.
  const query = read.query ? read.query.parse({}) : {}
  const value = await Promise.resolve(read.handler({ ...call, query })).catch(() => null)
  if (value) call.reply.header('etag', tagOfObject(read.answer, value))
}

/** Adds the tag of an answer; returns its body, or undefined for 304 if the client has it. */
export function tagAnswer(
  reply: FastifyReply,
  value: unknown,
  { route, body }: { route: Route; body: string },
): string | undefined {
  const { answer, tagged, method } = route
  // Conditions apply only to successful answers (RFC 9110, 13.2.1): a 500 never becomes 304.
  if (reply.statusCode >= 300) return body
  const shape = typeof tagged === 'string' && answer && 'object' in answer && answer.object[tagged]
  if (answer && tagged === true) {
    reply.header('etag', strongTag(answer, value, body))
  } else if (shape) {
    reply.header('etag', tagOfObject(shape, (value as Record<string, unknown>)[String(tagged)]))
  } else if (method === 'GET' && !reply.hasHeader('etag')) {
    // Includes the Link header: it appears with a next page, while the body of a full page stays.
    reply.header('etag', `W/"${digest(`${reply.getHeader('link') ?? ''}${body}`)}"`)
  }
  if (!isNotModified(reply.request, reply.getHeader('etag'))) return body
  reply.removeHeader('content-type').code(304)
  return undefined
}

function digest(text: string): string {
  return hash('sha256', text, 'base64url').slice(0, 22)
}
