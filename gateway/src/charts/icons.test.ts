import { expect, test } from '@jest/globals'
import { searchIcon } from './icons.ts'

// Slugs and titles of brands in the bundled list.
test.each([
  ['Netflix', 'netflix'],
  ['POS DEBIT 1234 NETFLIX 99', 'netflix'],
  ['SPOTIFY', 'spotify'],
  ['netflix spotify', 'netflix'],
  ['thewashingtonpost', 'thewashingtonpost'],
  // The slug is an abbreviation, so only the title without spaces matches.
  ['SphereOnlineJudge', 'spoj'],
])('%j has the icon %s', async (name, slug) => {
  expect(await searchIcon(name)).toMatchObject({ slug, library: 'simple-icons' })
})

test.each([
  // Only single words are compared, never the whole phrase.
  'The Washington Post',
  'Paycheck ACME',
  '1234',
  // Words without a vowel are skipped.
  'NPM',
  '',
])('%j has no icon', async (name) => {
  expect(await searchIcon(name)).toBeNull()
})

test('an icon has a title, an SVG in base64 and a colour', async () => {
  const icon = await searchIcon('netflix')
  expect(icon).toEqual({
    title: 'Netflix',
    slug: 'netflix',
    library: 'simple-icons',
    svg: expect.any(String),
    colors: ['E50914'],
  })
  const svg = Buffer.from(icon?.svg ?? '', 'base64').toString()
  expect(svg).toMatch(/^<svg .*<title>Netflix<\/title>.*<\/svg>$/s)
})
