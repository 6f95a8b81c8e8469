import { expect, test } from '@jest/globals'
import { type Page, type Range, renewPages } from './renewed-pages.ts'

/** Pages of two entries of a list of single letters; a cursor is the last entry before a page. */
const ask = (list: string, asked: string[] = []) => {
  return async (after: string): Promise<Page<string>> => {
    asked.push(after)
    const rest = [...list].filter((one) => one > after)
    return { items: rest.slice(0, 2), next: rest.length > 2 ? (rest[1] ?? null) : null }
  }
}

async function pagesOf(list: string): Promise<Page<string>[]> {
  const pages = [await ask(list)('')]
  for (let next = pages[0]?.next; next; next = pages.at(-1)?.next) {
    pages.push(await ask(list)(next))
  }
  return pages
}

const whole = 'acegikmo'

test.each<[string, string, Range, [string[], string]]>([
  ['those in view alone', whole, { from: 1, to: 2 }, [['c', 'g'], 'ac- eg ik mo-']],
  ['all, if all are in view', whole, { from: -1, to: 9 }, [['', 'c', 'g', 'k'], 'ac eg ik mo']],
  ['a new entry drops those behind', 'abcegikmo', { from: 0, to: 1 }, [['', 'b'], 'ab ce']],
  ['so does a deleted one', 'acgikmo', { from: 1, to: 1 }, [['c'], 'ac- gi']],
  ['both keep them', 'acfgikmo', { from: 1, to: 1 }, [['c'], 'ac- fg ik- mo-']],
  ['the end may come earlier', 'ace', { from: 1, to: 2 }, [['c'], 'ac- e']],
  ['nothing is left', '', { from: 0, to: 3 }, [[''], '']],
])('%s', async (_, now, seen, expected) => {
  const asked: string[] = []
  const renewed = await renewPages(await pagesOf(whole), seen, ask(now, asked))
  const texts = renewed.map(({ items, isOld }) => items.join('') + (isOld ? '-' : ''))
  expect([asked, texts.join(' ')]).toEqual(expected)
})

test('the first page of a list that is not known yet', async () => {
  const asked: string[] = []
  expect(await renewPages([], { from: -1, to: 1 }, ask(whole, asked))).toHaveLength(1)
  expect(asked).toEqual([''])
})
