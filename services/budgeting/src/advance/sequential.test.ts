import { expect, test } from '@jest/globals'
import { forEachSequentially } from './sequential.ts'

test('a failed item does not stop the others, and all errors are thrown at the end', async () => {
  const done: number[] = []
  const reported: number[] = []
  const work = async (item: number) => {
    if (item % 2 === 0) throw new Error(`failed ${item}`)
    done.push(item)
  }
  const outcome = forEachSequentially([1, 2, 3, 4, 5], work, (item) => reported.push(item))
  await expect(outcome).rejects.toMatchObject({
    errors: [new Error('failed 2'), new Error('failed 4')],
  })
  expect(done).toEqual([1, 3, 5])
  expect(reported).toEqual([2, 4])
})

test('without an error it resolves', async () => {
  const done: number[] = []
  await forEachSequentially(
    [1, 2],
    async (item) => void done.push(item),
    () => undefined,
  )
  expect(done).toEqual([1, 2])
})
