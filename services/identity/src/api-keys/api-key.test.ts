import { expect, test } from '@jest/globals'
import { findApiKeyProblems } from './api-key.ts'

const now = new Date('2026-03-01T12:00:00Z')
const key = { name: 'Laptop', expiresAt: null, scope: 'full' }

test.each(['a', 'x'.repeat(300), '🔑'.repeat(300)])('the name %s is fine', (name) => {
  expect(findApiKeyProblems({ ...key, name }, now)).toBeNull()
})

test.each([
  ['', 'name is required'],
  ['x'.repeat(301), 'must be at most 300 characters'],
  ['a\nb', 'must be printable characters only'],
])('the name %j is not', (name, problem) => {
  expect(findApiKeyProblems({ ...key, name }, now)).toEqual({ name: problem })
})

test('a key expires in the future, and its scope is full or read', () => {
  const soon = new Date(now.getTime() + 1)
  expect(findApiKeyProblems({ ...key, expiresAt: soon, scope: 'read' }, now)).toBeNull()
  expect(findApiKeyProblems({ ...key, expiresAt: now, scope: 'write' }, now)).toEqual({
    expiresAt: 'must lie in the future',
    scope: 'must be full or read',
  })
})
