import jsonc, { type ParseErrorCode } from 'jsonc-parser'

const strict = { disallowComments: true, allowTrailingComma: false }

/** Characters that are looked at; more would hold up other requests (35 ms for these). */
const lengthMax = 100_000

/**
 * Where a text stops being JSON (RFC 8259), in words for its author: line and column from 1, in
 * UTF-16 units. V8's own message has no position where a value is wrong. A text that is too long or
 * nested too deep is only said to be so.
 */
export function placeOfJsonFault(text: string): string {
  if (text.length > lengthMax) return ', and too long to name the place'
  const offset = offsetOfFault(text)
  if (offset === 'too deep') return ', and nested too deep to name the place'
  if (offset === null) return ''
  const column = offset - text.slice(0, offset).lastIndexOf('\n')
  const isEnd = text.slice(offset).trim() === ''
  return `${isEnd ? ': it ends too soon,' : ''} at line ${lineOf(text, offset)}, column ${column}`
}

/** The offset of the first fault; null where V8 is stricter than the parser that looks for it. */
function offsetOfFault(text: string): number | 'too deep' | null {
  let first: number | null = null
  const onError = (_code: ParseErrorCode, offset: number) => {
    first = offset
    throw new SyntaxError('the first fault is enough')
  }
  try {
    jsonc.visit(text, { onError }, strict)
  } catch (error) {
    // The parser is recursive: nesting exhausts the stack.
    if (error instanceof RangeError) return 'too deep'
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
