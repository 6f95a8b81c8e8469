import { textsOf } from './languages/texts.ts'

export const homeWords = textsOf('home')
