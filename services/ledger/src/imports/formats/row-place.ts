import type { RowPlace } from './statement.ts'
import { cut, oneLine } from './statement-rows.ts'

/** Maximum length of the shown text of a skipped row in characters. */
const textLengthMax = 200

/** Returns the place of a row, with its text on one line. */
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
