import { STATUS_CODES } from 'node:http'
import Negotiator from 'negotiator'
import type { ProblemTree } from './problems.ts'
import { reasonMembers } from './reason-members.ts'

const jsonType = 'application/json'

/** Media type of problem details (RFC 9457). */
export const problemType = 'application/problem+json'

/** The default body of an error (docs/api/errors.md). */
interface ErrorBody {
  error: string
  problems?: ProblemTree
  [key: string]: unknown
}

/** Returns content type and JSON text of an error's body for a request. */
export type ErrorRenderer = (
  headers: Record<string, string | string[] | undefined>,
  error: { status: number; body: ErrorBody },
) => { type: string; text: string }

/**
 * Returns the renderer of error bodies. Content negotiation: a request whose `Accept` names
 * `application/problem+json` gets problem details (RFC 9457), all others the default body, even
 * with wildcards. Only the details have the code of every refusal, because the default body must
 * not change. `type` in the details is a URL below `externalUrl`, so it is equal on all replicas.
 */
export function createErrorRenderer({ externalUrl }: { externalUrl: string }): ErrorRenderer {
  const reference = `${externalUrl.replace(/\/$/, '')}/api/reference/errors`
  return ({ accept }, { status, body }) => {
    if (!namesProblemType(accept)) return { type: jsonType, text: JSON.stringify(body) }
    const { error, ...more } = body
    const type = `${reference}#${sectionOf(status)}`
    const title = titleOf(status)
    const details = { type, title, status, detail: error, ...reasonMembers(body), ...more }
    return { type: problemType, text: JSON.stringify(details) }
  }
}

/** Returns the anchor in the page about errors for a status: `bad-request` for 400. */
export function sectionOf(status: number): string {
  return titleOf(status).toLowerCase().replaceAll(' ', '-')
}

/** Returns the reason phrase of a status (RFC 9110, 15). */
function titleOf(status: number): string {
  return STATUS_CODES[status] ?? 'Error'
}

function namesProblemType(accept: string | string[] | undefined): boolean {
  if (accept === undefined) return false
  const types = new Negotiator({ headers: { accept: String(accept) } }).mediaTypes()
  return types.some((type) => type.toLowerCase() === problemType)
}
