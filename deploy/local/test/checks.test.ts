import { expect, test } from '@jest/globals'
import { patternsOf, plannedChecks } from '../src/checks.ts'

const files = [
  'gateway/src/auth/origins.ts',
  'gateway/src/routes.ts',
  'proto/coffer/ledger/v1/link.proto',
  'README.md',
]

const namesOf = (patterns: string[]) => plannedChecks(patterns, files).map(({ name }) => name)

test.each([
  [[], ['biome', 'tsc', 'tsc of the app', 'buf lint', 'buf breaking']],
  [['gateway/src/auth'], ['biome', 'house rules', 'tsc', 'tsc of the app']],
  [['origins.ts$'], ['biome', 'house rules', 'tsc', 'tsc of the app']],
  [
    ['gateway', 'proto/coffer'],
    ['biome', 'house rules', 'tsc', 'tsc of the app', 'buf lint', 'buf breaking'],
  ],
  [['no/such/path'], ['tsc', 'tsc of the app']],
])('the paths %j need the checks %j', (patterns, names) => {
  expect(namesOf(patterns)).toEqual(names)
})

test.each([
  ['gateway/src/auth', ['gateway/src/auth/origins.ts']],
  ['./gateway/src', ['gateway/src/auth/origins.ts', 'gateway/src/routes.ts']],
  ['GATEWAY/.*origins', ['gateway/src/auth/origins.ts']],
])('the path %s is that of jest: biome reads its files alone', (pattern, matched) => {
  const [biome] = plannedChecks([pattern], files)
  expect(biome?.command?.filter((one) => files.includes(one))).toEqual(matched)
  expect(biome?.command).not.toContain('.')
})

test('options of jest and their values are no paths', () => {
  expect(patternsOf(['-t', 'a name', 'gateway', '--verbose', '-c', 'own.js', 'test'])).toEqual([
    'gateway',
    'test',
  ])
})
