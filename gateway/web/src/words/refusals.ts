import { faultWords } from './faults.ts'
import { loadRefusalTexts } from './languages/texts.ts'

type Text = string | ((values: Record<string, string>) => string)

/** Texts by code, once they are loaded. */
let texts: Record<string, Text> = {}
let loading: Promise<void> | undefined

/** Loads the words for codes, which few pages need. If they are lost, the server's own remain. */
export function loadRefusals(): Promise<void> {
  loading ??= loadRefusalTexts().then(
    (found) => {
      texts = found as Record<string, Text>
    },
    () => {},
  )
  return loading
}

/** The code of a text of the server, with the values of its sentence. */
export interface Coded {
  code?: string | undefined
  params?: Record<string, string> | undefined
  /** The code of the value `fault`. */
  cause?: Coded | undefined
}

/** A refusal of the server: its text for programs, and its code with values if it has one. */
export interface Refused extends Coded {
  detail: string
}

/** Returns the app's words for a refusal by its code; without a known one, the server's own. */
export function refusalWords({ detail, ...coded }: Refused): string {
  return codedWords(coded) ?? faultWords.ofServer({ text: sentenceOf(detail) })
}

/** Returns the app's words for a text of the server that may have a code, such as a hint. */
export function wordsOf(text: string, coded: Coded | undefined): string {
  return refusalWords({ detail: text, ...coded })
}

/** Returns the app's words for a code, with those for its cause; null without a known one. */
function codedWords({ code = '', params = {}, cause }: Coded): string | null {
  const text = texts[code]
  if (text === undefined) return null
  const fault = cause && codedWords(cause)
  return typeof text === 'string' ? text : text(fault ? { ...params, fault } : params)
}

/** Returns a text of the server as a sentence. */
function sentenceOf(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? '' : '.'}`
}

/** Words for an attempt too many, which may be repeated after this many seconds. */
export function tooOftenWords(seconds: number): string {
  return faultWords.tooOften({ minutes: Math.ceil(seconds / 60) })
}
