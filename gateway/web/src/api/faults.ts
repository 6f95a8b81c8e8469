import { CofferError } from '@coffer/client'
import { OfflineError } from '../offline/offline-error.ts'
import { faultWords } from '../words/faults.ts'
import {
  hintWords,
  problemWords,
  refusalWords,
  sentenceOf,
  tooOftenWords,
} from '../words/refusals.ts'

/** A failed request in words, for people. */
export interface Fault {
  /** One sentence. */
  text: string
  /** Texts by field of the form, from the `problems` of the answer. */
  problems: Record<string, string>
  /** ID of the request, for the logs of the server. */
  requestId: string | null
  status: number | null
  code: string | null
}

/** Returns the words for an error of a request; null for none. */
export function faultOf(error: unknown): Fault | null {
  if (error === null || error === undefined) return null
  if (!(error instanceof CofferError)) {
    return { text: textOfNone(error), problems: {}, requestId: null, status: null, code: null }
  }
  const problems = problemsOf(error.problems)
  const hints = error.hints.map((hint) => ` ${hintWords(hint)}`).join('')
  const isOfFields = Object.keys(problems).length > 0
  return {
    text: isOfFields ? faultWords.fields : textOf(error) + hints,
    problems,
    requestId: error.requestId ?? null,
    status: error.status,
    code: error.code ?? null,
  }
}

/** Returns the words for a request without an answer. */
function textOfNone(error: unknown): string {
  if (error instanceof OfflineError) return faultWords.notSent
  return error instanceof DOMException ? faultWords.slow : faultWords.unreachable
}

/** Returns the words for a refusal as a whole: those of the app, else the server's own. */
function textOf({ body, status, code, retryAfter }: CofferError): string {
  const { error } = (body ?? {}) as { error?: string }
  if (status === 429 && retryAfter !== undefined && code === undefined) {
    return tooOftenWords(retryAfter)
  }
  return error === undefined ? faultWords.failed : wordsOf(error, refusalWords)
}

function wordsOf(text: string, translate: (text: string) => string | null): string {
  return translate(text) ?? sentenceOf(text)
}

/** Returns why an item of a bulk request was refused, as sentences for people. */
export function refusalOf(error: string, problems: unknown): string {
  const named = [...new Set(Object.values(problemsOf(problems)))]
  return named.length > 0 ? named.join(' ') : wordsOf(error, refusalWords)
}

/** Returns whether the server refuses a request for want of a session. */
export function isSignedOut(error: unknown): boolean {
  return error instanceof CofferError && error.status === 401
}

function problemsOf(problems: unknown, field = ''): Record<string, string> {
  if (typeof problems === 'string') return { [field]: wordsOf(problems, problemWords) }
  if (typeof problems !== 'object' || problems === null) return {}
  const found = Object.entries(problems).map(([key, one]) => {
    // `oneOf` and the positions of lists are no fields.
    const isPart = key === 'oneOf' || /^\d+$/.test(key) || field !== ''
    return problemsOf(one, isPart ? field : key)
  })
  // The first of several faults of a field is shown.
  return Object.assign({}, ...found.reverse())
}
