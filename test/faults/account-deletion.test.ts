import { eventually } from '@coffer/kit/testing/boot'
import { expect, test } from '@jest/globals'
import { newPerson } from '../harness/person.ts'
import { deploy } from '../harness/process.ts'
import { rowsOf } from '../mesh/rows-of-account.ts'

test('a deletion that is killed in the middle goes on with the next start', async () => {
  await using deployment = await deploy()
  await deployment.start()
  const person = await newPerson(deployment.baseUrl)
  const { path } = await person.opensAccount(1_000_000)
  const tea = { name: 'Tea', amount: 100, date: new Date().toISOString(), adjustsBalance: true }
  for (let sent = 0; sent < 100; sent += 10) {
    await Promise.all(Array.from({ length: 10 }, () => person.post(`${path}/transactions`, tea)))
  }
  const body = { currentPassword: person.password }
  const deleted = await person.call('DELETE', '/users/me', { body, asSession: true })
  await deployment.kill()
  expect(deleted.status).toBe(200)
  const before = await rowsOf(deployment.databaseUrl, person)
  expect(before['ledger.transactions']).toBe(100)
  await deployment.start()
  const isGone = (rows: Record<string, number>) =>
    Object.keys(rows).every((table) => /deleted_accounts|account_deletions/.test(table))
  await eventually(() => rowsOf(deployment.databaseUrl, person), isGone, 90_000)
})
