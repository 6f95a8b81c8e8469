import { parseSync, Visitor } from 'oxc-parser'
import type { File } from './files.ts'
import { lineAt } from './modules.ts'

const anywhere: [RegExp, string][] = [
  [/\b(TODO|FIXME|XXX|HACK)\b/, 'finish it, or open an issue'],
  [/\bjest\.(mock|doMock|unstable_mockModule)\b/, 'test against the real thing'],
  [/\b(test|it|describe)\.(skip|only|todo|failing)\b/, 'every test runs'],
  [/\b(xit|xtest|xdescribe|fit|fdescribe)\(/, 'every test runs'],
  [/^\s*debugger\b/, 'left over from debugging'],
  [/(^|[\s"'`(=:])\/(root|home|work)\/\w/, 'a path of one machine'],
  [/\bregistry\.[a-z-]+\.(org|com|net)\b|npmmirror|proxy\.golang\.org/, 'a registry host'],
]
const onlyInBenchmarks: [RegExp, string][] = [
  [/\bmonetr\b|reference server/i, 'belongs to docs/benchmarks/benchmarks.md'],
]

const inServices: [RegExp, string][] = [
  [/\b(xmin|ctid)\b/, 'a row is named by its key, and its state by a version'],
]

/** Patterns that no line of text may match, each with the reason; migrations are exempt. */
const inSentences: [RegExp, string][] = [
  [/(?<![`'"])\b(somebody|nobody|whoever)\b/i, 'name the actor'],
  [/^\s*(\/\*\*|\/\/|\*|--|#) *(What|Whose|Who|That)\b/, 'begin with the subject'],
  [/[.:;!?] (What|Whose|Who) /, 'begin with the subject'],
  [/(?<![`'"])\b(desks?|doors?|bury|buried|takes? turns?)\b/i, 'name the mechanism'],
  [/\b(interface|decisions)\.md\b|(^|[\s(`])spec\/|\bdesign \d/, 'cite a page of docs/'],
  [/\b(identity|ledger|budgeting|syncs)\.md \d/, 'cite a page of docs/'],
]

const inCode: [RegExp, string][] = [[/\.\.\.(\{|\[(?!\.\.\.))/, 'write the literal out']]

/**
 * Exempt files: applied migrations must not change, the glossary lists forbidden words, and a
 * command generates parts of the benchmarks.
 */
const asTheyAre = /\/migrations\/|^docs\/(glossary|benchmarks)\.md$/

/** Returns messages about lines with forbidden words, each with the reason. */
export function bannedWords({ path, text }: File): string[] {
  const words = [
    ...anywhere,
    ...(path === 'docs/benchmarks/benchmarks.md' ? [] : onlyInBenchmarks),
    ...(/^services\/[a-z-]+\/src\//.test(path) ? inServices : []),
    ...(asTheyAre.test(path) ? [] : inSentences),
    ...(/\.(ts|mjs)$/.test(path) ? inCode : []),
  ]
  return text.split('\n').flatMap((line, index) => {
    const hits = words.filter(([word]) => word.test(line))
    return hits.map(([word, why]) => `${path}:${index + 1}: ${word.exec(line)?.[0]}: ${why}`)
  })
}

/** Attributes of elements and components whose texts a person reads. */
const shown = /^(aria-(label|description|valuetext)|label|title|alt|placeholder|hint|text)$/

/** Returns messages about texts in screens of the app that are in no catalogue. */
export function literalTexts({ path, text }: File): string[] {
  if (!/^gateway\/web\/src\/.*\.tsx$/.test(path)) return []
  const found: string[] = []
  const check = (literal: unknown, start: number) => {
    if (typeof literal !== 'string' || !/\p{L}/u.test(literal.replaceAll('Coffer', ''))) return
    found.push(`${path}:${lineAt(text, start)}: ${literal.trim()}: words/ has the texts`)
  }
  new Visitor({
    JSXText: ({ value, start }) => check(value, start),
    JSXAttribute: ({ name, value, start }) => {
      if (value?.type !== 'Literal') return
      if (shown.test(text.slice(name.start, name.end))) check(value.value, start)
    },
  }).visit(parseSync(path, text).program)
  return found
}
