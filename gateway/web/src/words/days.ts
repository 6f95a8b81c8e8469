import { textsOf } from './languages/texts.ts'

export const dayWords = textsOf('days')
