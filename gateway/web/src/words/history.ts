import { textsOf } from './languages/texts.ts'

const texts = textsOf('history')

/** Causes of entries of the journal, for people. */
export const historyWords = {
  ...texts,
  causes: texts.causes as Record<string, string>,
  pots: texts.pots as Record<string, string>,
}
