import { eventually } from '@coffer/host/testing/boot'
import { requiredVariable } from '@coffer/host/testing/database'
import { startProxy } from '@coffer/kit/testing/proxy'
import { expect, test } from '@jest/globals'
import pg from 'pg'
import { newPerson } from '../harness/person.ts'
import { deploy } from '../harness/process.ts'

// It takes 15 s: Temporal's absence is reported by the second check of the schedules.
test('Coffer starts without NATS and Temporal, and connects once they answer', async () => {
  await using stack = new AsyncDisposableStack()
  const nats = stack.use(await startProxy(requiredVariable('COFFER_TEST_NATS_URL')))
  const address = requiredVariable('COFFER_TEST_TEMPORAL_ADDRESS')
  const temporal = stack.use(await startProxy(`tcp://${address}`))
  const deployment = stack.use(
    await deploy({
      COFFER_NATS_URL: nats.url,
      COFFER_TEMPORAL_ADDRESS: new URL(temporal.url).host,
    }),
  )
  for (const away of [nats, temporal]) away.cut()
  await deployment.start()
  const alice = await newPerson(deployment.baseUrl)
  const { path, linkId } = await alice.createBankAccount(1_000)
  await alice.post(`${path}/transactions`, {
    name: 'Tea',
    amount: 100,
    date: '2026-03-02T06:00:00Z',
    adjustsBalance: true,
  })
  expect(await alice.get(`${path}/balances`)).toMatchObject({ available: 900 })
  expect(await alice.call('DELETE', `/links/${linkId}`)).toMatchObject({ status: 200 })
  const said = async () => deployment.output()
  await eventually(said, (text) => text.includes('NATS does not answer'))
  await eventually(said, (text) => text.includes('Temporal does not take schedules'))
  const readiness = async () => (await fetch(`${deployment.rpcUrl}/readyz`)).text()
  expect((await readiness()).split('\n')).toEqual([
    'ready',
    'NATS does not answer: events wait in the outbox',
    'Temporal does not answer: imports, clean-ups and jobs wait',
    '',
  ])
  for (const away of [nats, temporal]) away.mend()
  await eventually(readiness, (text) => text === 'ready\n')
  // Recovery after the outage: NATS delivers the event of the deleted link, and Temporal runs the
  // clean-up.
  const client = new pg.Client({ connectionString: deployment.databaseUrl })
  await client.connect()
  const look = 'SELECT cleaned_at FROM ledger.links WHERE link_id = $1'
  const cleaned = async () => (await client.query(look, [linkId])).rows[0]?.cleaned_at
  await eventually(cleaned, Boolean)
  await client.end()
})
