import { textsOf } from './languages/texts.ts'

export const signInWords = textsOf('signIn')
