// Matches zero-width joiners (ZWJ, ZWNJ) in valid places: between visible characters, as in emoji,
// Persian and Indic scripts, or after a combining mark (RFC 5892 A.1 and A.2).
const joiner = /(?<=[^\p{C}\p{Z}])[\u200C\u200D](?=[^\p{C}\p{Z}])|(?<=\p{M})[\u200C\u200D]/u

const joiners = new RegExp(joiner, 'gu')
const joinersAndControls = new RegExp(`(${joiner.source})|\\p{C}+`, 'gu')

/** Removes the zero-width joiners in valid places. */
export function withoutJoiners(text: string): string {
  return text.replaceAll(joiners, '')
}

/**
 * Returns at most `lengthMax` characters of a text in NFC (Unicode, UAX 15), trimmed, with control
 * and format characters replaced by `instead`. Keeps zero-width joiners in valid places.
 */
export function toPrintable(
  text: string,
  { lengthMax, instead = '' }: { lengthMax: number; instead?: string },
): string {
  const clean = (one: string) =>
    one.replace(joinersAndControls, (_all, kept?: string) => kept ?? instead).trim()
  const first = (one: string) => [...one].slice(0, lengthMax).join('')
  // Cut before NFC, which takes quadratic time for a long run of marks, and again after it, because
  // NFC may lengthen a text. Cleaned again, because a cut may leave a zero-width joiner at the end.
  return clean(first(first(clean(text)).normalize('NFC')))
}
