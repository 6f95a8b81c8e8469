import { textsOf } from './languages/texts.ts'

export const recordWords = textsOf('records')
