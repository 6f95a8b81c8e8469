import { textsOf } from './languages/texts.ts'

export const settingsWords = textsOf('settings')
