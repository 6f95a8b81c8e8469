import { expect, test } from '@jest/globals'
import { IntlMessageFormat } from 'intl-messageformat'
import { languageOf, languages } from './languages.ts'

const catalogues = await Promise.all(
  Object.entries(languages).map(async ([code, { load }]) => ({ code, texts: await load() })),
)

test.each(catalogues)('the texts in $code have all keys and values of the English ones', (one) => {
  const english = Object.fromEntries(entriesOf(catalogues[0]?.texts, 'en'))
  expect(Object.fromEntries(entriesOf(one.texts, one.code))).toEqual(english)
})

test.each([
  [['de-AT', 'en'], 'de'],
  [['fr-FR', 'de'], 'de'],
  [['fr-FR'], 'en'],
  [[], 'en'],
])('of %j the app speaks %s', (locales, code) => {
  expect(languageOf(locales)).toBe(code)
})

/** Returns the values of each text by its key; whether it is empty too. */
function entriesOf(texts: unknown, code: string, key = ''): [string, string[]][] {
  if (typeof texts === 'string') {
    expect([code, key, texts.trim()]).toEqual([
      code,
      key,
      key === 'rulePhrases.and' ? texts.trim() : texts,
    ])
    const message = new IntlMessageFormat(texts, code, undefined, { ignoreTag: true })
    return [[key, [...valuesOf(message.getAst()), ...(texts === '' ? ['nothing'] : [])].sort()]]
  }
  return Object.entries(texts as object).flatMap(([name, text]) =>
    entriesOf(text, code, key === '' ? name : `${key}.${name}`),
  )
}

interface Element {
  type: number
  value?: string
  options?: Record<string, { value: Element[] }>
}

/** Returns the names of the values of a message, those of its branches too. */
function valuesOf(elements: unknown): Set<string> {
  const names = (elements as Element[]).flatMap(({ type, value = '', options = {} }) => [
    // 0 is text, and 7 the number sign of a plural.
    ...(type === 0 || type === 7 ? [] : [value]),
    ...Object.values(options).flatMap((branch) => [...valuesOf(branch.value)]),
  ])
  return new Set(names)
}
