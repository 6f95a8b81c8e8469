import { IntlMessageFormat } from 'intl-messageformat'

interface Element {
  type: number
  value?: string
  options?: Record<string, { value: Element[] }>
}

/** Returns the sorted names of the values of each text of a catalogue, by its key. */
export function messageValues(
  texts: unknown,
  language: string,
  key = '',
): Record<string, string[]> {
  if (typeof texts === 'string') {
    const message = new IntlMessageFormat(texts, language, undefined, { ignoreTag: true })
    return { [texts === '' ? `${key} (empty)` : key]: [...namesOf(message.getAst())].sort() }
  }
  const parts = Object.entries(texts as object).map(([name, one]) =>
    messageValues(one, language, key === '' ? name : `${key}.${name}`),
  )
  return Object.assign({}, ...parts)
}

/** Returns the names of the values of a message, those of its branches too. */
function namesOf(elements: unknown): Set<string> {
  const names = (elements as Element[]).flatMap(({ type, value = '', options = {} }) => [
    // 0 is text, and 7 the number sign of a plural.
    ...(type === 0 || type === 7 ? [] : [value]),
    ...Object.values(options).flatMap((branch) => [...namesOf(branch.value)]),
  ])
  return new Set(names)
}
