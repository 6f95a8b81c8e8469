import { expect, test } from '@jest/globals'
import { type Statement, statementsWithoutAccount } from './statements.ts'

/**
 * Statements that concern no account, by service, as the file and the start of the text, with the
 * reason. Identity is not here: its rows belong to logins, and it stays on one server.
 */
const exceptions: Record<string, Record<string, string>> = {
  ledger: {
    'transaction-search.sql.ts SELECT set_config': 'sets a timeout',
    'file-place.sql.ts WITH own AS': 'rows of processes',
  },
  budgeting: { 'audit.sql.ts DROP TABLE IF EXISTS pg_temp': 'temporary tables of the audit' },
  'feed-sync': {},
  notices: { 'audit.sql.ts DROP TABLE IF EXISTS pg_temp': 'temporary tables of the audit' },
  'aggregator-sync': {
    'webhook-receipt.sql.ts INSERT INTO webhook_receipts': 'hashes of webhooks, before their link',
    'call-limit.sql.ts INSERT INTO endpoint_calls': 'calls of the whole client of Plaid',
    'call-limit.sql.ts SELECT NULL::timestamptz': 'calls of the whole client of Plaid',
    'call-limit.sql.ts UPDATE endpoint_calls': 'calls of the whole client of Plaid',
    'aggregator-link.sql.ts SELECT count(*)': 'a metric of the whole deployment',
    'institution.sql.ts SELECT answer': 'banks, the same for all accounts',
    'institution.sql.ts INSERT INTO institutions': 'banks, the same for all accounts',
  },
  'sync-kit': {},
  kit: {
    'handler.ts INSERT INTO inbox': 'by the ID of a change, on the shard of its account',
    'account-removal.sql.ts SELECT referring': 'the system catalog',
    'rows.ts SELECT attname': 'the system catalog',
  },
}

const all = statementsWithoutAccount()

/** Returns the file's name and the start of the text. */
function titleOf({ file, text }: Statement): string {
  return `${file.split('/').at(-1)} ${text.slice(1).trim().replace(/\s+/g, ' ')}`
}

test.each(Object.entries(exceptions))('statements of %s name their account', (service, known) => {
  const own = all.filter(({ file }) => file.startsWith(`services/${service}/`))
  const found = own.map(titleOf)
  const isKnown = (title: string) => Object.keys(known).some((start) => title.startsWith(start))
  expect(found.filter((title) => !isKnown(title))).toEqual([])
  const unused = Object.keys(known).filter((start) => !found.some((one) => one.startsWith(start)))
  expect(unused).toEqual([])
})
