import { textsOf } from './languages/texts.ts'
import { loadRefusals } from './refusals.ts'

// Answers about imports contain coded notes, so their texts are loaded with this module.
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
  /** Formats a date pattern with the letters of the language, such as `TT.MM.JJJJ` in German. */
  formatOf: ({ example, format }: { example: string; format: string }) =>
    texts.formatOf({
      example,
      format: format.replace(/[DMY]/g, (letter) => lettersOf[letter] ?? letter),
    }),
  ofLine: (line: number | null, text: string) =>
    line === null ? text : texts.ofLine({ line, text }),
  /** Advice which field to change, by the code of a refusal. */
  advice: texts.advice as Record<string, string>,
  waits: texts.waits as Record<string, string>,
}
