import { expect, test } from '@jest/globals'
import { searchIcon } from './icons.ts'

// Slugs and titles of brands that the bundled list has.
test.each([
  ['Netflix', 'netflix'],
  ['POS DEBIT 1234 NETFLIX 99', 'netflix'],
  ['SPOTIFY', 'spotify'],
  ['netflix spotify', 'netflix'],
  ['thewashingtonpost', 'thewashingtonpost'],
  // Its slug is an abbreviation, so only the title without its spaces leads to it.
  ['SphereOnlineJudge', 'spoj'],
])('%j has the icon %s', async (name, slug) => {
  expect(await searchIcon(name)).toMatchObject({ slug, library: 'simple-icons' })
})

test.each([
  // The whole phrase is never tried.
  'The Washington Post',
  'Paycheck ACME',
  '1234',
  // A brand, but without a vowel.
  'NPM',
  '',
])('%j has no icon', async (name) => {
  expect(await searchIcon(name)).toBeNull()
})

test('an icon is a picture with its title and colour', async () => {
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
