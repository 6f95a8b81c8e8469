import { textsOf } from './languages/texts.ts'

export const billingWords = textsOf('billing')
