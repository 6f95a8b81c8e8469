import { type Known, translate } from './known.ts'
import { textsOf } from './languages/texts.ts'

const texts = textsOf('refusals')

type Text = string | ((values: Record<string, string>) => string)

/** A refusal of the server: its text for programs, and its code with values if it has one. */
export interface Refused {
  detail: string
  code?: string | undefined
  params?: Record<string, string> | undefined
}

/** Hints about a success that may surprise. The server writes them for programs too. */
const hints: Known[] = [
  [/^The envelope paid, but no balance moved/, texts.hints.paidWithoutMoving],
  [/^The envelope got the refund, but no balance moved/, texts.hints.refundedWithoutMoving],
  [/^The deposit is more than transactions took/, texts.hints.refundedInPart],
  [/^The envelope held less than the amount/, texts.hints.paidInPart],
  [/^No balance moved: a PATCH never moves one/, texts.hints.notMoved],
  [/^The transaction has not moved the balances/, texts.hints.corrected],
  [/^The transaction had not moved the balances/, texts.hints.added],
  [/^The balances keep what the transaction took/, texts.hints.kept],
  [/^Not every \w+ has a day (\d+)/, texts.hints.skipped],
]

/** Returns the app's words for a refusal by its code; without a known one, the server's own. */
export function refusalWords({ detail, code = '', params = {} }: Refused): string {
  const text = (texts.codes as Record<string, unknown>)[code] as Text | undefined
  if (text === undefined) return texts.other({ text: sentenceOf(detail) })
  return typeof text === 'string' ? text : text(params)
}

/** Returns the app's words for a hint, else the server's own as a sentence. */
export function hintWords(text: string): string {
  return translate(hints, text) ?? sentenceOf(text)
}

/** Returns a text of the server as a sentence. */
function sentenceOf(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? '' : '.'}`
}

/** Words for an attempt too many, which may be repeated after this many seconds. */
export function tooOftenWords(seconds: number): string {
  return texts.tooOften({ minutes: Math.ceil(seconds / 60) })
}
