import { textsOf } from './languages/texts.ts'

const texts = textsOf('history')

/** Texts of the causes of journal entries. */
export const historyWords = {
  ...texts,
  causes: texts.causes as Record<string, string>,
  pots: texts.pots as Record<string, string>,
}
