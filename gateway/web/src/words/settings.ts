import { textsOf } from './languages/texts.ts'

/** Number of unused recovery codes at or below which the user is told to create new ones. */
export const fewCodesMax = 2

export const settingsWords = textsOf('settings')
