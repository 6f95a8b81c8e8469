import { expect, test } from '@jest/globals'
import { IntlMessageFormat } from 'intl-messageformat'
import { type LanguageCode, languageOf, languages } from './languages.ts'

const catalogues = await Promise.all(
  Object.entries(languages).map(async ([code, { load, loadRefusals }]) => ({
    code,
    texts: { ...(await load()), refusals: await loadRefusals() },
  })),
)

test.each(catalogues)('the texts in $code have all keys and values of the English ones', (one) => {
  const english = Object.fromEntries(entriesOf(catalogues[0]?.texts, 'en'))
  expect(Object.fromEntries(entriesOf(one.texts, one.code))).toEqual(english)
})

test.each([
  [['de-AT', 'en'], 'de'],
  [['fr-FR', 'de'], 'de'],
  [['fr-FR'], 'en'],
  [[], 'en'],
])('of %j the app speaks %s', (locales, code) => {
  expect(languageOf(locales)).toBe(code)
})

test.each<[LanguageCode, number, string, string]>([
  ['en', 1, '1 of 14 transactions fits.', '1 fits, 1 changed'],
  ['en', 2, '2 of 14 transactions fit.', '2 fit, 2 changed'],
  ['de', 1, '1 von 14 Buchungen passt.', '1 passt, 1 geändert'],
  ['de', 2, '2 von 14 Buchungen passen.', '2 passen, 2 geändert'],
])('the texts of rules in %s agree with the number %i', async (code, matched, fits, counts) => {
  const { rules, ruleRuns } = await languages[code].load()
  const said = (text: string, values: Record<string, number | boolean>) =>
    new IntlMessageFormat(text, code).format(values)
  expect(said(rules.fits, { matched, examined: 14, isComplete: true })).toBe(fits)
  expect(said(ruleRuns.counts, { matched, changed: matched, left: 0 })).toBe(counts)
})

test.each<[LanguageCode, string[]]>([
  ['en', ['fills no envelope', 'fills one envelope with', 'fills 2 envelopes with']],
  ['de', ['füllt keinen Umschlag', 'füllt einen Umschlag mit', 'füllt 2 Umschläge mit']],
])('the texts of the next payday in %s agree with the number', async (code, texts) => {
  const { home } = await languages[code].load()
  const fills = new IntlMessageFormat(home.fills, code)
  expect([0, 1, 2].map((count) => fills.format({ count }))).toEqual(texts)
})

test.each<[LanguageCode, string]>([
  ['en', '$5 for Nov 2, and a later one (as of Nov 9) is known. Joining'],
  ['de', '$5 als Kontostand vom Nov 2, ein späterer (Stand Nov 9) ist bekannt. Das'],
])('an older balance and the later one are named in %s with their days', async (code, text) => {
  const { imports } = await languages[code].load()
  const sums = { stated: '$5', moved: '$1', now: '$7', after: '$8' }
  const said = (days: object) =>
    new IntlMessageFormat(imports.balanceOlderMoves, code).format({ ...sums, ...days })
  expect(said({ day: 'Nov 2', known: 'Nov 9' })).toContain(text)
  expect(said({ day: 'none', known: 'none' })).not.toMatch(/none|Nov|\(/)
})

test.each<[LanguageCode, RegExp, RegExp, RegExp]>([
  ['en', /later days, it replaces the balance of today, \$7 \(/, /later days count/, /by hand/],
  ['de', /spätere .* ersetzt er den heutigen von \$7 \(/, /spätere .* zählen mit/, /von Hand/],
])('a balance that is set in %s counts payments of later days', async (code, ...texts) => {
  const { balanceStated, balanceDiffers } = (await languages[code].load()).imports
  const said = (text: string, more: object) =>
    new IntlMessageFormat(text, code).format({ stated: '$5', now: '$7', ...more })
  const [preview, isSet, isOlder] = texts
  expect(said(balanceStated, { day: 'Nov 2', known: 'Nov 1' })).toMatch(preview)
  expect(said(balanceStated, { day: 'none', known: 'none' })).not.toMatch(/later|spätere|Nov|\(/)
  expect(said(balanceDiffers, { is: 'new' })).toMatch(isSet)
  expect(said(balanceDiffers, { is: 'new' })).not.toMatch(isOlder)
  expect(said(balanceDiffers, { is: 'older' })).toMatch(isOlder)
})

test('the German texts name a day after "vor", "seit" and "für" with its article', async () => {
  const texts = JSON.stringify(await languages.de.load())
  expect(texts.match(/\b(vor|seit|für) \{(day|at|known)\}/gi)).toBeNull()
})

/** Returns the values of each text by its key; whether it is empty too. */
function entriesOf(texts: unknown, code: string, key = ''): [string, string[]][] {
  if (typeof texts === 'string') {
    expect([code, key, texts.trim()]).toEqual([
      code,
      key,
      key === 'rulePhrases.and' ? texts.trim() : texts,
    ])
    const message = new IntlMessageFormat(texts, code, undefined, { ignoreTag: true })
    return [[key, [...valuesOf(message.getAst()), ...(texts === '' ? ['nothing'] : [])].sort()]]
  }
  return Object.entries(texts as object).flatMap(([name, text]) =>
    entriesOf(text, code, key === '' ? name : `${key}.${name}`),
  )
}

interface Element {
  type: number
  value?: string
  options?: Record<string, { value: Element[] }>
}

/** Returns the names of the values of a message, those of its branches too. */
function valuesOf(elements: unknown): Set<string> {
  const names = (elements as Element[]).flatMap(({ type, value = '', options = {} }) => [
    // 0 is text, and 7 the number sign of a plural.
    ...(type === 0 || type === 7 ? [] : [value]),
    ...Object.values(options).flatMap((branch) => [...valuesOf(branch.value)]),
  ])
  return new Set(names)
}
