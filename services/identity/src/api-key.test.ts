import { expect, test } from '@jest/globals'
import { apiKeyProblems } from './api-key.ts'

test.each(['a', 'x'.repeat(300), '🔑'.repeat(300)])('the name %s is fine', (name) => {
  expect(apiKeyProblems(name)).toBeNull()
})

test.each([
  ['', 'name is required'],
  ['x'.repeat(301), 'must be 1 to 300 characters'],
  ['a\nb', 'must be printable characters only'],
])('the name %j is not', (name, problem) => {
  expect(apiKeyProblems(name)).toEqual({ name: problem })
})
