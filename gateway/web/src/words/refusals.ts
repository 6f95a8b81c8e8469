import { faultWords } from './faults.ts'
import { loadRefusalTexts } from './languages/texts.ts'

type Text = string | ((values: Record<string, string>) => string)

/** Texts by code, after they are loaded. */
let texts: Record<string, Text> = {}
let loading: Promise<void> | undefined

/** Loads the texts by code, which few pages need. On failure, the texts of the server are shown. */
export function loadRefusals(): Promise<void> {
  loading ??= loadRefusalTexts().then(
    (found) => {
      texts = found as Record<string, Text>
    },
    () => {},
  )
  return loading
}

/** Code of a text of the server, with the values for its placeholders. */
export interface Coded {
  code?: string | undefined
  params?: Record<string, string> | undefined
  /** Code of the value `fault`. */
  cause?: Coded | undefined
}

/** A refusal of the server: its English text, and its code with values if it has one. */
export interface Refused extends Coded {
  detail: string
}

/** Returns the translated text of a refusal; the server's own for an unknown code. */
export function refusalWords({ detail, ...coded }: Refused): string {
  return codedWords(coded) ?? faultWords.ofServer({ text: sentenceOf(detail) })
}

/** Returns the translated text for a text of the server that may have a code, such as a hint. */
export function wordsOf(text: string, coded: Coded | undefined): string {
  return refusalWords({ detail: text, ...coded })
}

/** Returns the translated text of a code, with that of its cause; null for an unknown code. */
function codedWords({ code = '', params = {}, cause }: Coded): string | null {
  const text = texts[code]
  if (text === undefined) return null
  const fault = cause && codedWords(cause)
  return typeof text === 'string' ? text : text(fault ? { ...params, fault } : params)
}

/** Returns a text of the server with a capital letter and a full stop. */
function sentenceOf(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? '' : '.'}`
}

/** Returns the text for a rate limit that ends in this many seconds. */
export function tooOftenWords(seconds: number): string {
  return faultWords.tooOften({ minutes: Math.ceil(seconds / 60) })
}
