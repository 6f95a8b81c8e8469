import { textsOf } from './languages/texts.ts'

/** Number of names that a sentence lists before "and n others". */
const namedMax = 5

const texts = textsOf('bulk')

/** Texts of changes of many transactions. */
export const bulkWords = {
  ...texts,
  changed: (count: number, all: number) =>
    count === all ? texts.changed({ all }) : texts.changedSome({ count, all }),
  left: (names: string[]) => {
    const others = names.length - namedMax
    const more = others > 0 ? [texts.others({ count: others })] : []
    return texts.left({ names: names.slice(0, namedMax).concat(more).join(', ') })
  },
}
