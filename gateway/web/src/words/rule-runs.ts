import { textsOf } from './languages/texts.ts'

/** Texts of runs, which apply rules to stored transactions. */
export const runWords = textsOf('ruleRuns')
