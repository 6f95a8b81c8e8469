import { textsOf } from './languages/texts.ts'

const texts = textsOf('accounts')

export const accountWords = {
  ...texts,
  linkFaults: texts.linkFaults as Record<string, string>,
  statuses: texts.statuses as Record<string, string>,
}
