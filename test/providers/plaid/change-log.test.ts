import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import '../../seed.ts'
import { createAccount } from './account.ts'
import { createBank } from './bank.ts'
import { type ChangePage, createChangeLog, type Row } from './change-log.ts'
import { PlaidRefusal } from './errors.ts'

const visible = { isVisible: () => true }

/** Creates a bank account with its script and its change log. */
function createBook() {
  const log = createChangeLog()
  const account = createAccount({})
  const bank = createBank(() => account, log)
  const post = (id: string) => bank.post({ id, date: '2026-03-01', amount: '1' })
  return { log, bank, post }
}

/** Returns the IDs of a page by kind. */
function idsOf({ added, modified, removed }: ChangePage) {
  return [added, modified, removed].map((all) => all.map((one) => one.transaction_id))
}

test('a transaction is in a loop once, as it is now', () => {
  const { log, bank, post } = createBook()
  for (const id of ['a', 'b', 'c', 'd']) post(id)
  bank.change('a', { amount: '2' })
  bank.remove('b')
  const first = log.read({ cursor: '', count: 2, ...visible })
  expect(idsOf(first)).toEqual([['c', 'd'], [], []])
  const second = log.read({ cursor: first.next_cursor, count: 2, ...visible })
  expect([idsOf(second), second.has_more]).toEqual([[['a'], [], []], false])
  bank.change('d', { amount: '3' })
  bank.remove('c')
  post('e')
  const third = log.read({ cursor: second.next_cursor, count: 9, ...visible })
  expect(idsOf(third)).toEqual([['e'], ['d'], ['c']])
  expect(idsOf(log.read({ cursor: third.next_cursor, count: 9, ...visible }))).toEqual([[], [], []])
  expect(idsOf(log.read({ cursor: 'now', count: 9, ...visible }))).toEqual([[], [], []])
})

test('after a change only the cursor of the first page is accepted', () => {
  const { log, post } = createBook()
  for (const id of ['a', 'b', 'c', 'd']) post(id)
  const start = log.read({ cursor: '', count: 9, ...visible }).next_cursor
  for (const id of ['e', 'f', 'g']) post(id)
  const first = log.read({ cursor: start, count: 1, ...visible })
  const read = (cursor: string) => () => log.read({ cursor, count: 9, ...visible })
  expect(idsOf(read(first.next_cursor)())).toEqual([['f', 'g'], [], []])
  post('h')
  expect(read(first.next_cursor)).toThrow('Please restart pagination')
  expect(idsOf(read(start)())).toEqual([['e', 'f', 'g', 'h'], [], []])
  log.refuseCursors()
  expect(read(start)).toThrow('cursor not associated with access_token')
  expect(read(createBookCursor())).toThrow('cursor not associated with access_token')
  expect(idsOf(read('')())[0]).toHaveLength(8)
})

/** Returns a cursor of another item. */
function createBookCursor(): string {
  return createBook().log.read({ cursor: '', count: 1, ...visible }).next_cursor
}

test('a delayed transaction comes after as many reads, and unread ones in another order', () => {
  const { log, bank, post } = createBook()
  for (const id of ['a', 'b', 'c', 'd', 'e']) post(id)
  bank.delay('b', 2)
  log.reorder(3)
  const reads: string[][] = []
  for (let [cursor, reading] = ['', 0]; reading < 3; reading += 1) {
    const page = log.read({ cursor, count: 9, ...visible })
    cursor = page.next_cursor
    reads.push(page.added.map((row) => row.transaction_id))
  }
  expect(reads.slice(1)).toEqual([[], ['b']])
  expect(reads[0]).not.toEqual(['a', 'c', 'd', 'e'])
  expect(reads[0]?.toSorted()).toEqual(['a', 'c', 'd', 'e'])
  expect(() => bank.delay('a', 1)).toThrow('was read already')
  expect(() => post('a')).toThrow('has a transaction a already')
  bank.remove('a')
  expect(() => bank.remove('a')).toThrow('has no transaction a')
})

/** A client that reads as Plaid asks: it applies a loop at its end, and restarts it if refused. */
function createReader(log: ReturnType<typeof createChangeLog>) {
  const copy = new Map<string, Row>()
  let [base, cursor] = ['', '']
  let pages: ChangePage[] = []
  const apply = ({ added, modified, removed }: ChangePage) => {
    // The lists say whether the client has the transaction already.
    for (const { transaction_id: id } of added) expect(copy.has(id)).toBe(false)
    for (const { transaction_id: id } of [...modified, ...removed]) expect(copy.has(id)).toBe(true)
    for (const row of [...added, ...modified]) copy.set(row.transaction_id, row)
    for (const { transaction_id: id } of removed) copy.delete(id)
  }
  return {
    copy,
    readPage: (count: number) => {
      try {
        const page = log.read({ cursor, count, ...visible })
        pages.push(page)
        cursor = page.next_cursor
        if (page.has_more) return
        for (const one of pages) apply(one)
        base = cursor
      } catch (error) {
        if (!(error instanceof PlaidRefusal)) throw error
        cursor = base
      }
      pages = []
    },
  }
}

test('any order of changes and pages leads to the transactions of the bank', () => {
  const steps = fc.array(fc.tuple(fc.constantFrom(...kinds), fc.nat(50)), { maxLength: 60 })
  fc.assert(
    fc.property(steps, (all) => {
      const { log, bank, post } = createBook()
      const { copy, readPage } = createReader(log)
      for (const [index, [kind, number]] of all.entries()) {
        const listed = bank.listed()
        const id = listed[number % Math.max(1, listed.length)]?.transaction_id
        if (kind === 'read') readPage(1 + (number % 3))
        else if (kind === 'reorder') log.reorder(number)
        else if (kind === 'post' || id === undefined) post(`t${index}`)
        else if (kind === 'change') bank.change(id, { amount: String(number) })
        else if (kind === 'delay') bank.delay(post(`late${index}`), 1 + (number % 2))
        else bank.remove(id)
      }
      // One loop for each read that a delay may still need.
      for (let loop = 0; loop < 4; loop += 1) readPage(500)
      expect(textsOf([...copy.values()])).toEqual(textsOf(bank.listed()))
    }),
  )
})

const kinds = ['post', 'change', 'remove', 'delay', 'reorder', 'read', 'read', 'read'] as const

function textsOf(rows: Row[]): string[] {
  return rows.map((row) => JSON.stringify(row)).toSorted()
}
