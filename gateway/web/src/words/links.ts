import { textsOf } from './languages/texts.ts'

/** Texts of the page that links a bank over the aggregator. */
export const linkWords = textsOf('links')
