import { expect, test } from '@jest/globals'
import type { Block, HelpPage } from './help-page.ts'
import { findPages } from './page-search.ts'

const page = (name: HelpPage['name'], title: string, text: string): HelpPage => ({
  name,
  title,
  about: [],
  blocks: [{ kind: 'list', isOrdered: false, items: [[paragraphOf(text)]] }],
})

function paragraphOf(text: string): Block {
  return { kind: 'paragraph', parts: [{ kind: 'strong', parts: [{ kind: 'text', text }] }] }
}

const pages = [page('bills', 'Bills', 'A late bill'), page('cards', 'Cards', 'Größe in Café')]

test.each([
  ['', ['bills', 'cards']],
  ['LATE bill', ['bills']],
  ['card', ['cards']],
  ['GROSSE cafe', ['cards']],
  ['paragraph', []],
])('a search for "%s" finds %j', (search, names) => {
  expect(findPages(pages, search).map(({ name }) => name)).toEqual(names)
})
