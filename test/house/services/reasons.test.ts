import { reasonOf, reasons } from '@coffer/kit/reasons/reasons'
import { expect, test } from '@jest/globals'
import { isTest, writtenFiles } from '../files.ts'

// Texts of settings, and of values that no client reads by a code.
const others = /^services\/(host|kit\/src\/reasons)\/|\/config\.ts$/
const sources = /^(services\/[\w-]+|gateway)\/src\//

const files = writtenFiles().filter(
  ({ path }) => sources.test(path) && !others.test(path) && !isTest(path),
)

test('a sentence of a refusal is declared once, with its code: say() fills it', () => {
  const whole = Object.values(reasons).filter((sentence) => !sentence.includes('{'))
  const repeated = files.flatMap(({ path, text }) =>
    whole.filter((one) => text.includes(`'${one}'`)).map((one) => `${path}: ${one}`),
  )
  expect(repeated).toEqual([])
})

/**
 * Places that only programs meet: malformed HTTP, calls between services, webhooks of providers,
 * and forms without scripts. Their refusals need no code.
 */
const ofPrograms = [
  /^gateway\/src\/(server|sockets|reference|pages|openapi)\//,
  /^gateway\/src\/http\/(bodies|conditional-request|idempotency|route)/,
  /^services\/kit\/src\/(database|rpc|accounts)\//,
  /\/(webhook|webhook\.rpc|billing|billing\.client|change-stream|link-source)\.ts$/,
  /\/(account-data\.rpc|aggregator-link\.rpc|ledger\.client|incoming-file)\.ts$/,
  /\/tenancy\/|\/syncs\/sync-|\.activities\.ts$/,
]

const text = /(['`][^'`]*['`])/.source

/** Refusals whose text is written in its place: a function or a key, and then a literal. */
const literals = [
  String.raw`\b(?:refused|unavailable|conflict|unanswered|rule|typed)\(\s*${text}`,
  String.raw`\bunreadable: ${text}`,
  String.raw`\binvalid\(\{\s*[\w[\]]+: ${text}`,
].map((source) => new RegExp(source, 'g'))

test('a refusal of a request has a code: its text is declared, not written in its place', () => {
  const written = files
    .filter(({ path }) => !ofPrograms.some((one) => one.test(path)))
    .flatMap(({ path, text }) =>
      literals
        .flatMap((literal) => [...text.matchAll(literal)].map(([, said = '']) => said.slice(1, -1)))
        // `must be …` of the value that decides which shape a body has.
        .filter((said) => !said.startsWith('must be $') && reasonOf(said) === null)
        .map((said) => `${path}: ${said}`),
    )
  expect(written).toEqual([])
})

test('the app says texts of the server by their codes, not by patterns of their sentences', () => {
  const matching = writtenFiles()
    .filter(({ path }) => /^gateway\/web\/src\/(words|api|screens)\//.test(path) && !isTest(path))
    .filter(({ text }) => /\.(test|exec|match)\(\s*(error|hint|detail|note)\b/.test(text))
    .map(({ path }) => path)
  expect(matching).toEqual([])
})
