import { textsOf } from './languages/texts.ts'

export const startWords = textsOf('start')
