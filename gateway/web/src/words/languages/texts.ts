import { IntlMessageFormat } from 'intl-messageformat'
import { currentLanguage, languages } from './languages.ts'
import type { Part, Words } from './translation.ts'

/** The language of the page, constant until a reload. */
export const language = currentLanguage()

// Top-level await: modules that import this one can read texts while they load.
const catalogue = await languages[language].load()

/** Returns the texts of a part in the language of the page. */
export function textsOf<P extends Part>(part: P): Words<P> {
  return spoken(catalogue[part]) as Words<P>
}

/** Loads the texts of refusals by code. */
export async function loadRefusalTexts(): Promise<unknown> {
  return spoken(await languages[language].loadRefusals())
}

type Message = ConstructorParameters<typeof IntlMessageFormat>[0]

/**
 * Turns messages with values into functions. A build contains parsed messages; in Node.js, without
 * a build, they are parsed here.
 */
function spoken(texts: unknown): unknown {
  if (typeof texts === 'string') return texts.includes('{') ? messageOf(texts) : texts
  if (Array.isArray(texts)) return typeof texts[0] === 'object' ? messageOf(texts) : texts
  const entries = Object.entries(texts as Record<string, unknown>)
  return Object.fromEntries(entries.map(([key, text]) => [key, spoken(text)]))
}

function messageOf(text: Message): (values: Record<string, string | number | boolean>) => string {
  let message: IntlMessageFormat | undefined
  return (values) => {
    message ??= new IntlMessageFormat(text, language, undefined, { ignoreTag: true })
    return String(message.format(values))
  }
}
