import { eventually } from '@coffer/host/testing/boot'
import { requiredVariable } from '@coffer/host/testing/database'
import { silentLog } from '@coffer/kit/testing/silent-log'
import { newId } from '@coffer/kit/values/id'
import { connectTemporal } from '@coffer/kit/workflows/temporal'
import { afterEach, expect, test } from '@jest/globals'
import pg from 'pg'
import { countAdvanced, loadDueAccounts } from '../bench/hourly/due-accounts.ts'
import { deploy } from '../harness/process.ts'

let stack = new AsyncDisposableStack()

afterEach(async () => {
  await stack.disposeAsync()
  stack = new AsyncDisposableStack()
})

const accounts = 200

/** The distinct outcomes of all accounts: with automatic transactions, and without. */
async function distinctOutcomes(connectionString: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString })
  await client.connect()
  const { rows } = await client.query(`
    SELECT DISTINCT available_balance AS available, expenses, held, booked FROM ledger.bank_accounts
    JOIN LATERAL (SELECT sum(current_amount) AS held FROM ledger.envelopes e
      WHERE e.bank_account_id = bank_accounts.bank_account_id) ON true
    JOIN LATERAL (SELECT count(*)::int AS booked FROM ledger.transactions t
      WHERE t.bank_account_id = bank_accounts.bank_account_id) ON true
    ORDER BY available_balance`)
  await client.end()
  return rows
}

test('an hourly job that is killed is finished after the restart', async () => {
  const prefix = newId('t')
  const deployment = stack.use(await deploy({ COFFER_PREFIX: prefix }))
  const { databaseUrl } = deployment
  await deployment.start()
  await loadDueAccounts(databaseUrl, { after: 0, count: accounts })
  const address = requiredVariable('COFFER_TEST_TEMPORAL_ADDRESS')
  const temporal = stack.use(
    connectTemporal({ address, namespace: 'default', prefix, log: silentLog }),
  )
  const workflow = { type: 'advance', id: 'advance-killed', taskQueue: 'budgeting', args: [] }
  await temporal.start(workflow)
  const begun = ({ booked }: { booked: number }) => booked > 10
  await eventually(() => countAdvanced(databaseUrl), begun, 60_000)
  await deployment.kill()
  expect((await countAdvanced(databaseUrl)).booked).toBeLessThan(accounts)
  await deployment.start()
  await temporal.client.workflow.getHandle(`${prefix}/${workflow.id}`).result()
  expect(await countAdvanced(databaseUrl)).toEqual({ booked: accounts, left: 0 })
  // Four contributions of 25.00; the due envelope has spent its own, or has returned it.
  const others = { available: '0', expenses: '7500', held: '7500', booked: 0 }
  const automatic = { available: '90000', expenses: '7500', held: '7500', booked: 2 }
  expect(await distinctOutcomes(databaseUrl)).toEqual([others, automatic])
  expect(await deployment.run('audit')).toMatchObject({ code: 0 })
})
