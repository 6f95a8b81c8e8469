import { namesApiKey } from '../auth/session.ts'
import { mediaType } from '../http/bodies/body.ts'
import { bodyHints } from '../http/errors/body-hints.ts'
import type { ProblemTree } from '../http/errors/problems.ts'
import { texts } from '../http/fields/fields.ts'
import { authClasses, type Route } from '../http/route.ts'

type Headers = Record<string, string | string[] | undefined>

/** A refused request, with the known parts of its answer. */
export interface RefusedRequest {
  status: number
  code?: string | undefined
  problems?: ProblemTree | undefined
  headers: Headers
  /** Bytes of the body, if it has been read. */
  bytes?: unknown
  /** Declaration of the route; undefined if no route matches. */
  route?: Pick<Route, 'auth' | 'body' | 'file'> | undefined
}

/** Maximum size, in bytes, of a body that is parsed again for hints (docs/limits.md). */
const bytesMax = 65_536

/**
 * Returns texts that tell the user how to correct a refused request, at most 5 and without
 * duplicates; empty if no rule applies (docs/api/errors.md#hints). They never quote the request.
 */
export function hintsOf({ status, problems, headers, route, ...sent }: RefusedRequest): string[] {
  const { code, bytes } = sent
  if (!route) return []
  if (code === 'CREDENTIAL_REQUIRED') return schemeHints(headers, authClasses[route.auth].key)
  if (code === 'API_KEY_UNKNOWN') return apiKeyHints(headers)
  if (status === 415) return typeHints(headers, route.file)
  if (status !== 400) return []
  if (route.file) return partHints(problems, route.file)
  if (!(bytes instanceof Uint8Array) || bytes.length > bytesMax) {
    return bodyHints({ problems: problems ?? {}, body: undefined, schema: route.body })
  }
  const text = Buffer.from(bytes).toString()
  return problems
    ? bodyHints({ problems, body: parsed(text), schema: route.body })
    : jsonHints(text)
}

const asBasic = 'use Basic, with the ID of an API key as user and its secret as password'

/** Returns the hint for a credential that was sent, but not by Basic authentication. */
function schemeHints({ authorization, ...others }: Headers, acceptsKeys: boolean): string[] {
  if (authorization === undefined && others['x-api-key'] === undefined) return []
  const isBearer = /^bearer\b/i.test(String(authorization))
  const fault = isBearer ? 'a Bearer credential was sent' : 'the credential was not sent as Basic'
  return [acceptsKeys ? `${fault}: ${asBasic}` : `${fault}, and this takes a session: sign in`]
}

function apiKeyHints({ authorization }: Headers): string[] {
  if (namesApiKey(String(authorization))) return []
  return ['the user of a Basic credential is the ID of an API key (key_…), the password its secret']
}

function typeHints(headers: Headers, file: string | undefined): string[] {
  if (headers['content-encoding'] !== undefined) return []
  if (file !== undefined) return [`send the file as a form: curl --form ${file}=@FILE`]
  const isForm =
    mediaType(headers['content-type']?.toString()) === 'application/x-www-form-urlencoded'
  return isForm
    ? ['curl sends JSON with --json, or with --header "content-type: application/json"']
    : []
}

/** Returns the hint for a form without the file part, or whose file part has another name. */
function partHints(problems: ProblemTree = {}, name: string): string[] {
  const isUnnamed = Object.values(problems).includes(texts.unknown)
  if (!isUnnamed && problems[name] !== texts.missing) return []
  return [`name the part ${name}, and send no other file: curl --form ${name}=@FILE`]
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Returns hints for malformed JSON, or for JSON that is no object. */
function jsonHints(text: string): string[] {
  if (/^\s*'|[{,]\s*'/.test(text)) return [`JSON has double quotes: "name", not 'name'`]
  if (hasBreakInString(text)) return ['a line break within a text of JSON is written \\n']
  return []
}

function hasBreakInString(text: string): boolean {
  let isString = false
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at]
    if (character === '"') isString = !isString
    else if (isString && character === '\\') at += 1
    else if (isString && character === '\n') return true
  }
  return false
}
