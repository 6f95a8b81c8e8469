import { textsOf } from './languages/texts.ts'

export const envelopeWords = textsOf('envelopes')
