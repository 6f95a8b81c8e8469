import { textsOf } from './languages/texts.ts'

const texts = textsOf('imports')

export const importWords = {
  ...texts,
  statuses: texts.statuses as Record<string, string>,
  choices: texts.choices as Record<string, string>,
  delimiters: texts.delimiters as Record<string, string>,
  marks: texts.marks as Record<string, string>,
  orders: texts.orders as Record<string, string>,
  reasons: texts.reasons as Record<string, string>,
  ofLine: (line: number | null, text: string) =>
    line === null ? text : texts.ofLine({ line, text }),
  /** Fields to change after a refusal of the server. */
  advice: [
    [/without a day of the calendar/, texts.advice.day],
    [/without a readable amount/, texts.advice.amount],
    [/without the direction/, texts.advice.direction],
  ] as readonly (readonly [RegExp, string])[],
  /** Advice of the server for programs; the app has two buttons in its place. */
  markAdvice: / State \w+(?:, a point or a comma,)? to read (?:the file|it) again/,
}
