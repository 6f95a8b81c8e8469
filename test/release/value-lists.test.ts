import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { FaultCode as PlaidFaultCode } from '@coffer/aggregator-sync/provider/plaid-fault'
import { definitions } from '@coffer/cli/process/services'
import { FaultCode as FeedFaultCode } from '@coffer/feed-sync/provider/feed-fault'
import { cloneDatabase } from '@coffer/host/testing/database'
import { catalogOf } from '@coffer/kit/testing/catalog'
import { values } from '@coffer/proto/values'
import { expect, test } from '@jest/globals'
import { parseSync, Visitor } from 'oxc-parser'

const root = join(import.meta.dirname, '../..')

/** CHECK constraints that list the same values as a field: schema and name, by field. */
const constraints: Record<string, [schema: string, name: string]> = {
  'Link.linkType': ['ledger', 'link_type_check'],
  'BankAccount.accountType': ['ledger', 'account_type_check'],
  'BankAccount.accountSubType': ['ledger', 'account_sub_type_check'],
  'BankAccount.status': ['ledger', 'account_status_check'],
  'Transaction.source': ['ledger', 'transaction_source_check'],
  'HistoryEntry.pot': ['ledger', 'journal_pot_check'],
  'HistoryEntry.cause': ['ledger', 'journal_cause_check'],
  'RuleRun.status': ['ledger', 'rule_runs_status_check'],
  'File.kind': ['ledger', 'files_kind_check'],
  'Spending.spendingType': ['budgeting', 'spending_spending_type_check'],
  'FeedLink.status': ['feed_sync', 'feed_links_status_check'],
  'FeedBankAccount.feedStatus': ['feed_sync', 'feed_bank_accounts_feed_status_check'],
  'FeedBankAccount.status': ['feed_sync', 'feed_bank_accounts_status_check'],
  'ApiKey.scope': ['identity', 'api_keys_scope_check'],
  'Delivery.status': ['notices', 'webhook_deliveries_status_check'],
  'User.role': ['identity', 'users_role_check'],
}

/** Fields whose values are not those of one constraint; the tests below or the code have them. */
const others = [
  'AggregatorLink.status',
  'BankAccountSyncHealth.feedStatus',
  'BankAccountSyncHealth.status',
  'Cause.actor',
  'ExplainSpendingRequest.language',
  'Change.actor',
  'Change.type',
  'Explanation.method',
  'FieldProvenance.by',
  'FieldProvenance.field',
  'Import.status',
  'IssueChallengeRequest.purpose',
  'MadeChoice.choice',
  'MappingAmount.kind',
  'MappingBalance.kind',
  'MappingField.derivedKind',
  'MappingIdentifier.kind',
  'Misfit.reason',
  'NamedJoin.result',
  'ObjectChange.type',
  'PreviewSkip.reason',
  'PreviewedField.field',
  'PreviewedField.reason',
  'ReadingChoices.decimalMark',
  'ReadingChoices.delimiter',
  'ReadingReason.choice',
  'RuleConditions.direction',
  'RuleConditions.source',
  'RuleText.kind',
  'SkippedRows.reason',
  'Suggestion.kind',
  'SyncHealth.linkType',
  'SyncHealth.status',
  'Transaction.joinedBy',
  'Upload.asks',
  'Upload.status',
  'UploadGroup.status',
  'Webhook.createdWith',
  'Webhook.disabledReason',
  'WebhookSwitchedOff.reason',
]

const listed = new Map(
  Object.entries(values).map(([field, list]) => [field, [...list].toSorted()] as const),
)

/** Returns the texts in the definition of the constraint; empty if there is none of the name. */
function textsOf(catalog: string[], name: string): string[] {
  const line = catalog.find((one) => one.startsWith('constraint') && one.includes(`.${name}: `))
  return [...(line ?? '').matchAll(/'([^']+)'/g)].map(([, text = '']) => text).toSorted()
}

test('every list of values in proto/ is that of the tables, or of the list here', () => {
  expect([...listed.keys()].toSorted()).toEqual([...Object.keys(constraints), ...others].toSorted())
})

test('lists of values in proto/ equal the CHECK constraints of the owners', async () => {
  await using database = await cloneDatabase(definitions)
  const catalogs = new Map<string, string[]>()
  for (const { schema } of definitions) {
    catalogs.set(schema, await catalogOf(database.url, schema))
  }
  const stored = ([schema, name]: [string, string]) => textsOf(catalogs.get(schema) ?? [], name)
  for (const [field, constraint] of Object.entries(constraints)) {
    expect([field, listed.get(field)]).toEqual([field, stored(constraint)])
  }
  // A link that is being created is shown as pending.
  expect([...(listed.get('AggregatorLink.status') ?? []), 'creating'].toSorted()).toEqual(
    stored(['aggregator_sync', 'aggregator_links_status_check']),
  )
  // The status of an import continues as that of its upload.
  expect(listed.get('Import.status')).toEqual(
    expect.arrayContaining([
      ...stored(['ledger', 'transaction_imports_status_check']),
      ...stored(['ledger', 'uploads_status_check']).filter((status) => status !== 'pending'),
    ]),
  )
})

test('a health has the status of a feed connection, of an aggregator link, or none', () => {
  const [feed = [], aggregator = []] = ['FeedLink.status', 'AggregatorLink.status'].map((field) =>
    listed.get(field),
  )
  expect(listed.get('SyncHealth.status')).toEqual(
    [...new Set(['none', ...feed, ...aggregator])].toSorted(),
  )
  expect(listed.get('SyncHealth.linkType')).toEqual(listed.get('Link.linkType'))
})

/** Returns the arrays of texts in a file, each as a sorted list. */
function textArrays(path: string): string[][] {
  const arrays: string[][] = []
  const { program } = parseSync(path, readFileSync(join(root, path), 'utf8'))
  new Visitor({
    ArrayExpression: ({ elements }) => {
      const texts = elements.flatMap((one) =>
        one?.type === 'Literal' && typeof one.value === 'string' ? one.value : [],
      )
      if (texts.length === elements.length) arrays.push(texts.toSorted())
    },
  }).visit(program)
  return arrays
}

test('no code of a service lists the values of a field a second time', () => {
  const paths = globSync('{services/*,gateway}/src/**/*.ts', { cwd: root })
  const code = paths.filter((path) => !path.endsWith('.test.ts'))
  expect(code.length).toBeGreaterThan(100)
  const copies = code.flatMap((path) => {
    const found = textArrays(path).map((array) => array.join())
    return [...listed].flatMap(([field, list]) =>
      found.includes(list.join()) ? [`${path}: ${field}`] : [],
    )
  })
  expect(copies).toEqual([])
})

test('the feed has the types of changes that services tell', () => {
  expect(values['Change.type']).toEqual(values['ObjectChange.type'])
})

test.each(['en', 'de'])(
  'the app says each fault of a connection in the language %s',
  async (code) => {
    const { accounts } = await import(
      join(root, `gateway/web/src/words/languages/${code}/accounts.ts`)
    )
    const codes = new Set([...FeedFaultCode.values, ...PlaidFaultCode.values])
    expect(Object.keys(accounts.linkFaults).toSorted()).toEqual([...codes].toSorted())
  },
)
