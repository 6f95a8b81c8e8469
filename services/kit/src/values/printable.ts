// ZWNJ and ZWJ change the shapes of adjacent characters in emoji, Persian and Indic scripts. At the
// end of a word they are valid only after a virama, which is a mark (RFC 5892 A.1 and A.2).
const joiner = /(?<=[^\p{C}\p{Z}])[\u200C\u200D](?=[^\p{C}\p{Z}])|(?<=\p{M})[\u200C\u200D]/u

const joiners = new RegExp(joiner, 'gu')
const joinersAndControls = new RegExp(`(${joiner.source})|\\p{C}+`, 'gu')

/** Returns the text without the joiners that are valid where they are. */
export function withoutJoiners(text: string): string {
  return text.replaceAll(joiners, '')
}

/**
 * Returns at most `lengthMax` printable characters of a text, trimmed, with valid joiners.
 * `instead` replaces control and format characters.
 */
export function toPrintable(
  text: string,
  { lengthMax, instead = '' }: { lengthMax: number; instead?: string },
): string {
  const clean = (one: string) =>
    one.replace(joinersAndControls, (_all, kept?: string) => kept ?? instead).trim()
  const characters = [...clean(text)]
  // The cut may leave a joiner at the end.
  return clean(characters.slice(0, lengthMax).join(''))
}
