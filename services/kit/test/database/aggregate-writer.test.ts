import { createDatabase } from '@coffer/host/database/pool'
import { cloneDatabase } from '@coffer/host/testing/database'
import { fixture } from '@coffer/host/testing/fixture/service'
import { Code, ConnectError } from '@connectrpc/connect'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { sql } from 'slonik'
import { z } from 'zod'
import { type BankAccountKey, keyOf } from '../../src/database/aggregate-key.ts'
import type { Outcome } from '../../src/database/aggregate-store.ts'
import { type AggregateWriter, createAggregateWriter } from '../../src/database/aggregate-writer.ts'
import type { Database } from '../../src/database/database.ts'

/** A requested change that appends its number to a list of numbers. */
interface Work {
  scope: BankAccountKey
  number: number
  isAlone?: boolean
}

interface List {
  key: string
  numbers: readonly number[]
  version: bigint
}

const Row = z.object({ key: z.string(), numbers: z.array(z.number()), version: z.bigint() })
const stack = new AsyncDisposableStack()
let database: Database

beforeAll(async () => {
  const { url } = stack.use(await cloneDatabase([fixture]))
  const options = { schema: fixture.schema, poolSizeMax: 4, statementTimeoutMs: 10_000 }
  database = stack.use(await createDatabase({ url, ...options }))
  await database.pool.query(sql.unsafe`
    CREATE TABLE lists (key text PRIMARY KEY, numbers int[], version bigint)`)
})

afterAll(async () => {
  await stack.disposeAsync()
})

const scopeOf = (name: string): BankAccountKey => ({ accountId: name, bankAccountId: name })
const keysOf = (scopes: readonly BankAccountKey[]) =>
  sql.array([...new Set(scopes.map(keyOf))].sort(), 'text')

/** Creates a writer of empty lists. Its first read and save wait until the test releases them. */
async function heldWriter(...names: string[]) {
  await database.pool.query(sql.unsafe`
    INSERT INTO lists SELECT key, '{}', 0 FROM unnest(${keysOf(names.map(scopeOf))}) AS key`)
  const hold = Promise.withResolvers<void>()
  const decided: number[][] = []
  const writer: AggregateWriter<Work> = createAggregateWriter<Work, List, List>(database, {
    isAlone: ({ isAlone = false }) => isAlone,
    hasEvents: () => false,
    read: async (connection, scopes) => {
      await hold.promise
      const rows = await connection.any(sql.type(Row)`
        SELECT * FROM lists WHERE key = ANY(${keysOf(scopes)})`)
      return new Map(rows.map((row) => [row.key, row]))
    },
    lock: async (tx, scopes) => {
      await tx.query(sql.unsafe`
        SELECT FROM lists WHERE key = ANY(${keysOf(scopes)}) ORDER BY key FOR UPDATE`)
    },
    decide: (list, works) => {
      if (!list) throw new Error('no such list')
      decided.push(works.map(({ number }) => number))
      const numbers = [...list.numbers, ...works.map(({ number }) => number)]
      const outcomes = works.map(() => ({ status: 'fulfilled', value: null }) as const)
      return { outcomes, changeSet: { ...list, numbers } }
    },
    save: async (connection, lists) => {
      const saved = [...lists.values()].map(({ key, numbers, version }) =>
        connection.anyFirst(sql.type(z.object({ key: z.string() }))`
          UPDATE lists SET numbers = ${sql.array([...numbers], 'int4')}, version = version + 1
          WHERE key = ${key} AND version = ${version} RETURNING key`),
      )
      return new Set((await Promise.all(saved)).flat())
    },
    findSaved: async () => new Set(),
  })
  const append = async (name: string, number: number): Promise<Outcome> => {
    const [outcome] = await writer.writeEach([{ scope: scopeOf(name), number }])
    return outcome as Outcome
  }
  const numbers = (name: string) =>
    database.pool.oneFirst(sql.type(Row.pick({ numbers: true }))`
      SELECT numbers FROM lists WHERE key = ${keyOf(scopeOf(name))}`)
  return { append, numbers, decided, writeEach: writer.writeEach, letGo: hold.resolve }
}

const upTo = (count: number) => Array.from({ length: count }, (_, index) => index)

test('only the aggregate whose queue is full refuses works', async () => {
  const { append, numbers, letGo } = await heldWriter('hot', 'calm')
  const hot = upTo(3_000).map((number) => append('hot', number))
  const calm = append('calm', 1)
  letGo()
  expect(await calm).toMatchObject({ status: 'fulfilled' })
  const refusals = (await Promise.all(hot)).flatMap((outcome) =>
    outcome.status === 'rejected' ? ConnectError.from(outcome.reason).code : [],
  )
  expect(new Set(refusals)).toEqual(new Set([Code.Unavailable]))
  expect(await numbers('hot')).toHaveLength(3_000 - refusals.length)
})

test('works of one aggregate are applied in the order in which they arrive', async () => {
  const { append, numbers, letGo } = await heldWriter('busy')
  const others = upTo(100).map(() => append('busy', -1))
  letGo()
  for (const number of upTo(20)) await append('busy', number)
  await Promise.all(others)
  expect((await numbers('busy')).filter((number) => number >= 0)).toEqual(upTo(20))
})

test('a work that is saved alone is not decided with others of its aggregate', async () => {
  const { writeEach, decided, letGo } = await heldWriter('first', 'second')
  letGo()
  const works = ['first', 'first', 'second'].map((name, number) => {
    return { scope: scopeOf(name), number, isAlone: true }
  })
  await writeEach(works)
  expect(decided.sort()).toEqual([[0], [1], [2]])
})
