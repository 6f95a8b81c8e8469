import { textsOf } from './languages/texts.ts'

const texts = textsOf('tags')

/** Texts of tags, of their screen and of the fields for them. */
export const tagWords = {
  ...texts,
  own: (tags: string[]) => texts.own({ tags: tags.join(', ') }),
  mergeTitle: (names: string[]) => texts.mergeTitle({ names: names.join(', ') }),
}
