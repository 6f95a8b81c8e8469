import { setTimeout as sleep } from 'node:timers/promises'
import { eventually } from '@coffer/host/testing/boot'
import { expect, test } from '@jest/globals'
import { newPerson, type Person } from '../harness/person.ts'
import { type Reader, startReader } from './feed-readers.ts'
import { startReplicas } from './replicas.ts'

const households = 20
/** Readers of each way for a household; an account may have 20 in each gateway. */
const readersEach = 10
/** Pause in ms after each change of a household: the machine may be busy with other work. */
const paceMs = 3_000

interface Followed {
  person: Person
  path: string
  readers: Reader[]
  /** IDs of the transactions that the household has created since its readers began. */
  made: string[]
}

async function startReaders(person: Person): Promise<Followed> {
  const { path } = await person.createBankAccount()
  const starting = (by: 'stream' | 'polls') =>
    Array.from({ length: readersEach }, () =>
      startReader(person, { by, query: { types: 'transaction.created' } }),
    )
  const readers = await Promise.all([...starting('stream'), ...starting('polls')])
  return { person, path, readers, made: [] }
}

test('200 streams and 200 polls fail, miss and repeat nothing in a rolling restart', async () => {
  await using replicas = await startReplicas()
  const people: Person[] = []
  while (people.length < households) people.push(await newPerson(replicas.baseUrl))
  const followed: Followed[] = []
  for (const person of people) followed.push(await startReaders(person))
  let isOver = false
  const writing = followed.map(async ({ person, path, made }) => {
    while (!isOver) {
      const body = { name: 'Tea', amount: 100, date: '2026-03-02T06:00:00Z' }
      const bankAccountId = path.split('/').at(-1) ?? ''
      const { data } = await person.client.createTransaction({ path: { bankAccountId }, body })
      made.push(data.transaction.transactionId)
      await sleep(paceMs)
    }
  })
  for (const { name, stop, start } of replicas.members) {
    expect([name, await stop()]).toEqual([name, 0])
    await start()
  }
  isOver = true
  await Promise.all(writing)
  const missing = async () =>
    followed.flatMap(({ readers, made }) =>
      readers.map(({ changes }) => made.length - changes.length).filter((count) => count > 0),
    )
  await eventually(missing, (counts) => counts.length === 0, 180_000)
  const all = followed.flatMap(({ readers }) => readers)
  await Promise.all(all.map(({ stop }) => stop()))
  for (const { readers, made } of followed) {
    for (const { changes } of readers) {
      expect(changes.map(({ objectId }) => objectId).toSorted()).toEqual(made.toSorted())
    }
  }
  const failures = Map.groupBy(
    all.flatMap((reader) => reader.failures),
    (text) => text,
  )
  expect([...failures].map(([text, found]) => `${found.length} of ${text}`)).toEqual([])
}, 600_000)
