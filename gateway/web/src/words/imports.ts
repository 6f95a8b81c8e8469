import { textsOf } from './languages/texts.ts'
import { loadRefusals } from './refusals.ts'

// Answers about files have notes with codes.
await loadRefusals()

const texts = textsOf('imports')

const lettersOf: Record<string, string> = texts.dayLetters

export const importWords = {
  ...texts,
  statuses: texts.statuses as Record<string, string>,
  choices: texts.choices as Record<string, string>,
  delimiters: texts.delimiters as Record<string, string>,
  marks: texts.marks as Record<string, string>,
  orders: texts.orders as Record<string, string>,
  reasons: texts.reasons as Record<string, string>,
  /** The letters of a format of days are those of the language: `TT.MM.JJJJ`. */
  formatOf: ({ example, format }: { example: string; format: string }) =>
    texts.formatOf({
      example,
      format: format.replace(/[DMY]/g, (letter) => lettersOf[letter] ?? letter),
    }),
  ofLine: (line: number | null, text: string) =>
    line === null ? text : texts.ofLine({ line, text }),
  /** Fields to change after a refusal of the server, by its code. */
  advice: texts.advice as Record<string, string>,
  waits: texts.waits as Record<string, string>,
}
