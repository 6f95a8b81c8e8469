import { textsOf } from './languages/texts.ts'

/** Value of the option "free to use", in place of the ID of an envelope. */
export const leftFree = 'free'

export const transactionWords = textsOf('transactions')
