import { reasons } from '@coffer/kit/reasons/reasons'
import { expect, test } from '@jest/globals'
import { isTest, writtenFiles } from '../files.ts'

// Texts of settings, and of values that no client reads by a code.
const others = /^services\/(host|kit\/src\/(values|reasons))\/|\/config\.ts$/
const sources = /^(services\/[\w-]+|gateway)\/src\//

test('a sentence of a refusal is declared once, with its code: say() fills it', () => {
  const whole = Object.values(reasons).filter((sentence) => !sentence.includes('{'))
  const files = writtenFiles().filter(
    ({ path }) => sources.test(path) && !others.test(path) && !isTest(path),
  )
  const repeated = files.flatMap(({ path, text }) =>
    whole.filter((one) => text.includes(`'${one}'`)).map((one) => `${path}: ${one}`),
  )
  expect(repeated).toEqual([])
})
