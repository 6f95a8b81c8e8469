// Letters, marks, numbers, punctuation, symbols and the plain space.
const line = /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]*$/u
const lines = /^[\p{L}\p{M}\p{N}\p{P}\p{S} \t\r\n]*$/u

// ZWNJ and ZWJ change the shapes of adjacent characters in emoji, Persian and Indic scripts. At the
// end of a word they are valid only after a virama, which is a mark (RFC 5892 A.1 and A.2).
const joiners = /(?<=[^\p{C}\p{Z}])[\u200C\u200D](?=[^\p{C}\p{Z}])|(?<=\p{M})[\u200C\u200D]/gu

/** Whether a text is one line of printable characters, without joiners. */
export function isPrintable(text: string): boolean {
  return line.test(text)
}

/** Whether a text is one line of printable characters, with joiners only between them. */
export function isFreeText(text: string): boolean {
  return line.test(text.replaceAll(joiners, ''))
}

/** Whether a text consists of lines that are free texts; tabs are allowed. */
export function isFreeLines(text: string): boolean {
  return lines.test(text.replaceAll(joiners, ''))
}
