import type { RowPlace } from './statement.ts'
import { cut, oneLine } from './statement-rows.ts'

/** Maximum length in characters of the text that clients see of a skipped row. */
const textLengthMax = 200

/** Returns line number and text of a row; line breaks in the text become blanks. */
export function placeOf(line: number | undefined, text: string): RowPlace {
  const shown = cut(oneLine(cut(text, 4 * textLengthMax)), textLengthMax)
  return line === undefined ? { text: shown } : { line, text: shown }
}

/** Returns a function from an index of a text to its line, from 1; fast for ascending indexes. */
export function lineCounter(text: string): (index: number) => number {
  let [at, line] = [0, 1]
  return (index) => {
    if (index < at) [at, line] = [0, 1]
    for (; at < index; at += 1) {
      const isBreak = text[at] === '\n' || (text[at] === '\r' && text[at + 1] !== '\n')
      if (isBreak) line += 1
    }
    return line
  }
}
