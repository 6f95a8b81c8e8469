import { CofferError } from '@coffer/client'
import { OfflineError } from '../offline/offline-error.ts'
import { faultWords } from '../words/faults.ts'
import { type Coded, type Refused, refusalWords, tooOftenWords } from '../words/refusals.ts'

/** A failed request as text for the user. */
export interface Fault {
  /** The error as one sentence. */
  text: string
  /** Error texts by field of the form, from the `problems` of the answer. */
  problems: Record<string, string>
  /** Codes of the problems by field (docs/api/refusals.md). */
  problemCodes: Record<string, string | undefined>
  /** ID of the request, to find it in the logs of the server. */
  requestId: string | null
  status: number | null
  code: string | null
}

export const noAnswer = {
  problems: {},
  problemCodes: {},
  requestId: null,
  status: null,
  code: null,
}

/** Shown while a change is retried until the server can be reached. */
export const tryingFault: Fault = { ...noAnswer, text: faultWords.trying }

/** Returns the text for an error of a request; null for no error. */
export function faultOf(error: unknown): Fault | null {
  if (error === null || error === undefined) return null
  if (!(error instanceof CofferError)) return { ...noAnswer, text: textOfNone(error) }
  const faults = faultsByField(error.faults)
  const problems = wordsByField(faults)
  const isOfFields = Object.keys(problems).length > 0
  return {
    text: isOfFields ? faultWords.fields : textOf(error),
    problems,
    problemCodes: Object.fromEntries(faults.map(([field, { code }]) => [field, code])),
    requestId: error.requestId ?? null,
    status: error.status,
    code: error.code ?? null,
  }
}

/** Returns the text for a request without an answer, or for a bug in the app. */
function textOfNone(error: unknown): string {
  if (error instanceof OfflineError) {
    if (error.wasSent === null) return faultWords.unreachable
    return error.wasSent ? faultWords.unanswered : faultWords.notSent
  }
  return error instanceof DOMException ? faultWords.slow : faultWords.broken
}

/** Returns the text for a refusal that concerns no single field. */
function textOf({
  detail,
  status,
  code,
  params,
  underlying: cause,
  retryAfter,
}: CofferError): string {
  if (status === 429 && retryAfter !== undefined) return tooOftenWords(retryAfter)
  return detail === undefined ? faultWords.failed : refusalWords({ detail, code, params, cause })
}

/** An error of one value in a request. */
type ValueFault = Refused & { pointer: string }

/** The refusal of an item of a bulk request. */
interface RefusedItem extends Coded {
  error: string
  errors?: ValueFault[] | undefined
}

/** Returns why an item of a bulk request was refused, as a text for the user. */
export function refusalOf({ error, errors = [], ...coded }: RefusedItem): string {
  const named = [...new Set(Object.values(wordsByField(faultsByField(errors))))]
  return named.length > 0 ? named.join(' ') : refusalWords({ detail: error, ...coded })
}

/** Returns whether the server refuses a request because it has no valid session. */
export function isSignedOut(error: unknown): boolean {
  return error instanceof CofferError && error.status === 401
}

/** Returns whether a request was refused because another user has signed in. */
export function isOfOther(error: unknown): boolean {
  return error instanceof CofferError && error.code === 'USER_DIFFERS'
}

/** Error codes for a value of the wrong type. */
const typeCodes = /^NOT_(NULL|STRING|INTEGER|BOOLEAN|LIST|OBJECT)$/

/**
 * Returns one fault for each field of the form, by the first key of its JSON pointer. Errors of the
 * type count last: for a union, the server also reports types that the form did not send.
 */
function faultsByField(faults: readonly ValueFault[]): [field: string, ValueFault][] {
  const isOfType = ({ code = '' }: ValueFault) => Number(typeCodes.test(code))
  const found = new Map<string, ValueFault>()
  for (const fault of faults.toSorted((a, b) => isOfType(a) - isOfType(b))) {
    const field = decodeURIComponent(fault.pointer.split('/')[1] ?? '')
    if (!found.has(field)) found.set(field, fault)
  }
  return [...found]
}

function wordsByField(faults: [field: string, ValueFault][]): Record<string, string> {
  return Object.fromEntries(faults.map(([field, fault]) => [field, refusalWords(fault)]))
}
