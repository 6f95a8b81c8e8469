/**
 * Returns the header that equals one of the words of the pattern; of several such headers, that of
 * the earliest word. '' if there is none.
 */
export function exactHeader(headers: readonly string[], meaning: RegExp): string {
  const names = meaning.source.split('|')
  const places = (header: string) => names.indexOf(header.trim().toLowerCase())
  const [exact = ''] = headers
    .filter((header) => places(header) >= 0)
    .sort((one, other) => places(one) - places(other))
  return exact
}

/** Returns the header that equals a word of the pattern, else the first that contains one. */
export function findHeader(headers: readonly string[], meaning: RegExp): string {
  return exactHeader(headers, meaning) || (headers.find((header) => meaning.test(header)) ?? '')
}
