import { textsOf } from './languages/texts.ts'

export const scheduleWords = textsOf('schedules')
