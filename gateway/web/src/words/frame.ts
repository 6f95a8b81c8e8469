import { textsOf } from './languages/texts.ts'

export const frameWords = textsOf('frame')

/** Texts of keyboard shortcuts and of the palette. */
export const keyWords = textsOf('keys')

/** Texts of the help; its pages are in docs/using. */
export const helpWords = textsOf('help')

/** Names of the help pages, equal to their file names. */
export type HelpName = keyof typeof helpWords.pages
