import { withoutJoiners } from '@coffer/kit/values/printable'

// Letters, marks, numbers, punctuation, symbols and the plain space.
const line = /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]*$/u
const lines = /^[\p{L}\p{M}\p{N}\p{P}\p{S} \t\r\n]*$/u

/** Whether a text is one line of printable characters, without joiners. */
export function isPrintable(text: string): boolean {
  return line.test(text)
}

/** Whether a text is one line of printable characters, with joiners only between them. */
export function isFreeText(text: string): boolean {
  return line.test(withoutJoiners(text))
}

/** Whether a text consists of lines that are free texts; tabs are allowed. */
export function isFreeLines(text: string): boolean {
  return lines.test(withoutJoiners(text))
}
