import { expect, test } from '@jest/globals'
import { lacking, operationsOfApp, operationsOfSessions, unneeded } from './operations.ts'

test('the app calls each operation that a session may call, but for those with a reason', () => {
  const called = operationsOfApp()
  const operations = operationsOfSessions()
  const missing = operations.filter(
    (one) => !called.has(one) && !(one in unneeded) && !lacking.includes(one),
  )
  expect(missing).toEqual([])
  const listed = [...Object.keys(unneeded), ...lacking]
  expect(listed.filter((one) => !operations.includes(one))).toEqual([])
  expect(Object.keys(unneeded).filter((one) => called.has(one))).toEqual([])
})
