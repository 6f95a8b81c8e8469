import { textsOf } from './languages/texts.ts'

/** Number of recovery codes at and below which a person needs new ones soon. */
export const fewCodesMax = 2

export const settingsWords = textsOf('settings')
