import { textsOf } from './languages/texts.ts'

export const forecastWords = textsOf('forecast')
