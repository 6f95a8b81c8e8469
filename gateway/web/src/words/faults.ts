import { textsOf } from './languages/texts.ts'

export const faultWords = textsOf('faults')
