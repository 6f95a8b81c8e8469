import { type Reason, reasonOf } from '@coffer/kit/reasons/reasons'
import { type Words, wordsOf } from '@coffer/kit/values/messages'
import type { FastifyRequest } from 'fastify'
import Negotiator from 'negotiator'
import { texts as de } from './languages/de.ts'
import { texts as en } from './languages/en.ts'

/** Languages of the pages. A new language needs an entry here, and a catalogue. */
const languages = { en: wordsOf<typeof en>(en, 'en'), de: wordsOf<typeof en>(de, 'de') }

export type PageWords = Words<typeof en>

/**
 * Returns the language of a page: the first supported one in `Accept-Language` (RFC 9110, 12.5.4),
 * whatever its country, else English.
 */
export function languageOf(request: Pick<FastifyRequest, 'raw'>): keyof typeof languages {
  const accepted = new Negotiator(request.raw).languages()
  const codes = accepted.map((one) => one.toLowerCase().split('-')[0] ?? '')
  return (codes.find((code) => Object.hasOwn(languages, code)) as keyof typeof languages) ?? 'en'
}

/** Returns the texts of a page for a request. */
export function wordsFor(request: Pick<FastifyRequest, 'raw'>): PageWords {
  return languages[languageOf(request)]
}

/** Returns the text of a refusal: of a field, or of the whole form. */
export function faultWords(
  words: PageWords,
  { error, problems }: { error: string; problems?: unknown },
): string {
  const { password, email, token } = Object(problems) as Record<string, unknown>
  if (typeof password === 'string') {
    return saidOf(words.password, password) ?? words.password.other({ problem: password })
  }
  if (typeof email === 'string') {
    return saidOf(words.email, email) ?? words.email.other({ problem: email })
  }
  if (typeof token === 'string') return words.noToken
  return saidOf(words.whole, error) ?? words.whole.other({ error: sentenceOf(error) })
}

/** Returns the translation of a server's text by its code; null without one. */
function saidOf(known: object, text: string): string | null {
  const reason = reasonOf(text)
  if (reason === null) return null
  const words = (known as Record<string, string | ((values: Reason['params']) => string)>)[
    reason.code
  ]
  return typeof words === 'function' ? words(reason.params) : (words ?? null)
}

/** Returns an error text with a capital letter and a full stop. */
function sentenceOf(error: string): string {
  return `${error.slice(0, 1).toUpperCase()}${error.slice(1)}${/[.!?]$/.test(error) ? '' : '.'}`
}
