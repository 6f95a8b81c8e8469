import { expect, test } from '@jest/globals'
import { currentQuestion, leaveEntries, noteEntries } from './entries.ts'

/** A part of a page that has a form. */
function partWith(form: Node): Node {
  return { contains: (node: Node) => node === form } as Node
}

function open() {
  const form = {} as Node
  const part = partWith(form)
  const done: string[] = []
  const leave = (within = part) =>
    leaveEntries(
      within,
      () => done.push('left'),
      () => done.push('stayed'),
    )
  return { form, part, done, leave }
}

test('a form without entries is left at once', () => {
  const { form, done, leave } = open()
  leave()
  noteEntries(form, true)
  noteEntries(form, false)
  leave()
  expect(done).toEqual(['left', 'left'])
  expect(currentQuestion()).toBeNull()
})

test('entries are lost after a question only, which counts once', () => {
  const { form, done, leave } = open()
  noteEntries(form, true)
  leave()
  expect(done).toEqual([])
  currentQuestion()?.stay()
  expect(currentQuestion()).toBeNull()
  leave()
  currentQuestion()?.leave()
  leave()
  expect(done).toEqual(['stayed', 'left', 'left'])
})

test('another part of the page is left without a question', () => {
  const { form, done, leave } = open()
  noteEntries(form, true)
  leave(partWith({} as Node))
  expect(done).toEqual(['left'])
  noteEntries(form, false)
})

test('of two steps back the latter is taken back, as it is the whole way', () => {
  const { form, done, leave } = open()
  noteEntries(form, true)
  leave()
  const both: string[] = []
  leaveEntries(
    partWith(form),
    () => both.push('left'),
    () => both.push('stayed'),
  )
  currentQuestion()?.stay()
  expect([done, both]).toEqual([[], ['stayed']])
  noteEntries(form, false)
})
