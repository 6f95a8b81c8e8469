import { eventually } from '@coffer/host/testing/boot'
import { requiredVariable } from '@coffer/host/testing/database'
import { silentLog } from '@coffer/host/testing/silent-log'
import { connectTemporal } from '@coffer/host/workflows/temporal'
import { expect } from '@jest/globals'
import { countAdvanced, loadDueAccounts } from '../../bench/hourly/due-accounts.ts'
import type { Interrupted, Killable } from './interrupted.ts'

const accounts = 200

/** SQL: the distinct balances, envelope sums and transaction counts of the due accounts. */
const distinctOutcomes = `
  SELECT DISTINCT available_balance AS available, expenses, held, booked FROM ledger.bank_accounts
  JOIN LATERAL (SELECT sum(current_amount) AS held FROM ledger.envelopes e
    WHERE e.bank_account_id = bank_accounts.bank_account_id) ON true
  JOIN LATERAL (SELECT count(*)::int AS booked FROM ledger.transactions t
    WHERE t.bank_account_id = bank_accounts.bank_account_id) ON true
  WHERE account_id LIKE 'acct_0000000000%'
  ORDER BY available_balance`

/**
 * Prepares an hourly job that is killed after some accounts. Its `act` must be called last, because
 * the job ends soon.
 */
export async function prepareHourlyJob({
  deployment: { databaseUrl, prefix },
  reader,
  stack,
}: Killable): Promise<Interrupted> {
  await loadDueAccounts(databaseUrl, { after: 0, count: accounts })
  const address = requiredVariable('COFFER_TEST_TEMPORAL_ADDRESS')
  const temporal = stack.use(
    connectTemporal({ address, namespace: 'default', prefix, log: silentLog }),
  )
  const workflow = { type: 'advance', id: 'advance-killed', args: [] }
  return {
    act: async () => {
      await temporal.start(workflow)
      const begun = ({ booked }: { booked: number }) => booked > 10
      await eventually(() => countAdvanced(databaseUrl), begun, 60_000)
    },
    whileDown: async () => {
      expect((await countAdvanced(databaseUrl)).booked).toBeLessThan(accounts)
    },
    afterRestart: async () => {
      await temporal.client.workflow.getHandle(`${prefix}/workflows/${workflow.id}`).result()
      expect(await countAdvanced(databaseUrl)).toEqual({ booked: accounts, left: 0 })
      // Four envelopes got 25.00 each. The due envelope has spent or returned this amount, so 75.00
      // are held. `others` are accounts without automatic transactions.
      const others = { available: '0', expenses: '7500', held: '7500', booked: 0 }
      const automatic = { available: '90000', expenses: '7500', held: '7500', booked: 2 }
      expect((await reader.query(distinctOutcomes)).rows).toEqual([others, automatic])
    },
  }
}
