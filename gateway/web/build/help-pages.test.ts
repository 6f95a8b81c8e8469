import { statSync } from 'node:fs'
import { expect, test } from '@jest/globals'
import type { Block, HelpPage, Inline } from '../src/screens/help/help-page.ts'
import { texts as de } from '../src/words/languages/de.ts'
import { texts as en } from '../src/words/languages/en.ts'
import { plain, readHelp } from './help-pages.ts'

const languages = { en, de }

/** Returns all blocks, also those in lists. */
const allOf = (blocks: Block[]): Block[] =>
  blocks.flatMap((one) => (one.kind === 'list' ? [one, ...allOf(one.items.flat())] : [one]))

/** Returns the parts of blocks that are bold or links, also those within others. */
const partsIn = (blocks: Block[]): Inline[] =>
  blocks.flatMap((block) => {
    if (block.kind === 'table') return [block.head, ...block.rows].flat(2)
    return 'parts' in block ? block.parts : []
  })

/** Returns all texts of a catalogue, in lower case. */
const textsIn = (value: unknown): string[] =>
  typeof value === 'string'
    ? [value.toLowerCase()]
    : Object.values(value as Record<string, unknown>).flatMap(textsIn)

test.each(['en', 'de'] as const)('the help in %s is whole, and names what screens have', (code) => {
  const pages = readHelp(code)
  const titles = pages.map(({ name, title }) => [name, title])
  expect(titles).toEqual(Object.entries(languages[code].help.pages))
  const outlineOf = ({ blocks }: HelpPage) =>
    blocks.map(({ kind }) => kind).filter((kind) => kind === 'heading' || kind === 'picture')
  expect(pages.map(outlineOf)).toEqual(readHelp('en').map(outlineOf))
  const blocks = allOf(pages.flatMap((page) => page.blocks))
  const parts = partsIn(blocks)
  const known = textsIn(languages[code])
  const bold = parts.flatMap((one) => (one.kind === 'strong' ? plain(one.parts) : []))
  const isKnown = (text: string) => known.some((one) => one.includes(text.toLowerCase()))
  expect(bold.length).toBeGreaterThan(60)
  expect(bold.filter((text) => !isKnown(text))).toEqual([code === 'en' ? 'bold' : 'fetter Schrift'])
  const pictures = blocks.flatMap((one) => (one.kind === 'picture' ? one.url : []))
  expect(pictures).toHaveLength(9)
  expect(pictures.filter((url) => statSync(url).size > 80_000)).toEqual([])
})
