/** Groups of the text of a server, which a text may repeat. */
interface Found {
  found: string
  last: string
}

/** A text of the server, and the words of the app in its place. */
export type Known = readonly [server: RegExp, words: string | ((values: Found) => string)]

/** Returns the app's words for a text of the server; null where it has none. */
export function translate(known: Known[], text: string): string | null {
  const found = known.find(([server]) => server.test(text))
  if (found === undefined) return null
  const [server, words] = found
  const [first = '', group = first, last = group] = server.exec(text) ?? []
  return typeof words === 'string' ? words : words({ found: group, last })
}
