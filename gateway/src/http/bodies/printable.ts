// Letters, marks, numbers, punctuation, symbols and the plain space.
const line = /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]*$/u
const lines = /^[\p{L}\p{M}\p{N}\p{P}\p{S} \t\r\n]*$/u

// ZWNJ and ZWJ change the shapes of their neighbours in joined emoji, Persian and Indic scripts.
// They end a word only after a virama, which is a mark (RFC 5892 A.1 and A.2).
const joiners = /(?<=[^\p{C}\p{Z}])[\u200C\u200D](?=[^\p{C}\p{Z}])|(?<=\p{M})[\u200C\u200D]/gu

/** Whether a text is one line of printable characters, none of them invisible. */
export function isPrintable(text: string): boolean {
  return line.test(text)
}

/** Whether a text is one line of printable characters, which joiners may stand between. */
export function isFreeText(text: string): boolean {
  return line.test(text.replaceAll(joiners, ''))
}

/** Whether each line of a text is a free text; tabs count as spaces. */
export function isFreeLines(text: string): boolean {
  return lines.test(text.replaceAll(joiners, ''))
}
