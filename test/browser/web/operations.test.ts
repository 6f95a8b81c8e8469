import { expect, test } from '@jest/globals'
import { operationsOfApp, operationsOfSessions, unneeded } from './operations.ts'

test('the app calls each operation that a session may call, but for those with a reason', () => {
  const called = operationsOfApp()
  const operations = operationsOfSessions()
  const missing = operations.filter((one) => !called.has(one) && !(one in unneeded))
  expect(missing).toEqual([])
  const listed = Object.keys(unneeded)
  expect(listed.filter((one) => !operations.includes(one) || called.has(one))).toEqual([])
})
