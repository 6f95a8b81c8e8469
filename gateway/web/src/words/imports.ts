import { type Known, translate } from './known.ts'
import { textsOf } from './languages/texts.ts'

const texts = textsOf('imports')

const lettersOf: Record<string, string> = texts.dayLetters

/** Advice of the server for programs; the app has two buttons in its place. */
const markAdvice = / State \w+(?:, a point or a comma,)? to read (?:the file|it) again/

/** Why the server could not read a file. */
const faults: Known[] = [
  [/has more than (\d+) (?:transactions|rows)/, texts.faults.rows],
  [/has more than (\d+) columns/, texts.faults.columns],
  [/holds no (?:statement|account)/, texts.faults.statement],
  [/ends before its statement|not well-formed|no whole export/, texts.faults.cut],
  [/^The archive (?:is damaged|is packed|has no file)/, texts.faults.archive],
  [/^(?:An old \.xls|The file is no workbook)/, texts.faults.workbook],
  [/^The file has no table/, texts.faults.table],
  [/^The file is not in one currency/, texts.faults.currency],
  [/takes too much time or memory/, texts.faults.time],
  [/could not be imported for now/, texts.faults.later],
  [/^The columns of the file are not those/, texts.faults.otherColumns],
]

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
  /** Fields to change after a refusal of the server. */
  advice: [
    [/without a day of the calendar/, texts.advice.day],
    [/without a readable amount/, texts.advice.amount],
    [/without the direction/, texts.advice.direction],
  ] as readonly (readonly [RegExp, string])[],
  /** The app's words for a fault of a file, else the server's own without its advice. */
  faultOf: (error: string) => translate(faults, error) ?? error.replace(markAdvice, ''),
  markAdvice,
}
