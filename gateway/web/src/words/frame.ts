import { textsOf } from './languages/texts.ts'

export const frameWords = textsOf('frame')

/** Texts of the keys and of the palette. */
export const keyWords = textsOf('keys')
