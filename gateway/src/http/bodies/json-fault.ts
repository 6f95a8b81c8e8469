import jsonc, { type ParseErrorCode } from 'jsonc-parser'

const strict = { disallowComments: true, allowTrailingComma: false }

/**
 * Maximum length in characters of a text in which a syntax error is located. At this length, the
 * search blocks the event loop for 35 ms.
 */
export const searchedLengthMax = 100_000

/**
 * Returns the position of the first syntax error in malformed JSON (RFC 8259), as the end of a
 * sentence. Line and column count from 1, in UTF-16 units. For a text that is too long, the
 * sentence says so; it is empty if this parser finds no error. V8's own message has no position for
 * a wrong value. The parser is recursive: bound the depth before (`requireBounded`).
 */
export function locateJsonFault(text: string): string {
  if (text.length > searchedLengthMax) return ', and too long to name the position'
  const offset = offsetOfFault(text)
  if (offset === null) return ''
  const column = offset - text.slice(0, offset).lastIndexOf('\n')
  const isEnd = text.slice(offset).trim() === ''
  return `${isEnd ? ': it ends too soon,' : ''} at line ${lineOf(text, offset)}, column ${column}`
}

/**
 * Returns the offset of the first syntax error; null if this parser accepts the text, which V8
 * refuses.
 */
function offsetOfFault(text: string): number | null {
  let first: number | null = null
  const onError = (_code: ParseErrorCode, offset: number) => {
    first = offset
    throw new SyntaxError('the first fault is enough')
  }
  try {
    jsonc.visit(text, { onError }, strict)
  } catch {
    // The parser throws to stop at the first error.
  }
  return first
}

function lineOf(text: string, offset: number): number {
  let line = 1
  for (let at = text.indexOf('\n'); at >= 0 && at < offset; at = text.indexOf('\n', at + 1)) {
    line += 1
  }
  return line
}
