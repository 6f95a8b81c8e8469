import { textsOf } from './languages/texts.ts'

export const transactionWords = textsOf('transactions')
