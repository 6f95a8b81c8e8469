import { textsOf } from './languages/texts.ts'

/** Texts of rules, of their screen and of their form. */
export const ruleWords = textsOf('rules')

const phrases = textsOf('rulePhrases')

/** Phrases that the description of a rule is composed of. */
export const rulePhrases = {
  ...phrases,
  days: (from: number, to: number) =>
    from === to ? phrases.day({ day: from }) : phrases.days({ from, to }),
  setTags: (tags: string[]) => phrases.setTags({ count: tags.length, tags: tags.join(', ') }),
}
