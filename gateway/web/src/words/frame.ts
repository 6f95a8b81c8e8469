import { textsOf } from './languages/texts.ts'

export const frameWords = textsOf('frame')

/** Texts of the keys and of the palette. */
export const keyWords = textsOf('keys')

/** Texts of the help; its pages are in docs/using. */
export const helpWords = textsOf('help')

/** Names of the pages of the help, as of their files. */
export type HelpName = keyof typeof helpWords.pages
