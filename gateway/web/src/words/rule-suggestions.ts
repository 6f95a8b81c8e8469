import { textsOf } from './languages/texts.ts'

/** Texts of suggested rules. */
export const suggestionWords = textsOf('ruleSuggestions')
