import { type DescField, type DescMessage, getOption } from '@bufbuild/protobuf'
import { definitions } from '@coffer/cli/services'
import { cloneDatabase } from '@coffer/host/testing/database'
import { catalogOf } from '@coffer/kit/testing/catalog'
import { AggregatorLinkSchema } from '@coffer/proto/aggregatorsync/v1/aggregator_link'
import { SpendingSchema } from '@coffer/proto/budgeting/v1/spending'
import { FeedBankAccountSchema } from '@coffer/proto/feedsync/v1/feed_bank_account'
import { FeedLinkSchema } from '@coffer/proto/feedsync/v1/feed_link'
import { SyncHealthSchema } from '@coffer/proto/feedsync/v1/feed_sync'
import { ApiKeySchema } from '@coffer/proto/identity/v1/api_key'
import { UserSchema } from '@coffer/proto/identity/v1/user'
import { BankAccountSchema } from '@coffer/proto/ledger/v1/bank_account'
import { HistoryEntrySchema } from '@coffer/proto/ledger/v1/history'
import { ImportSchema } from '@coffer/proto/ledger/v1/import'
import { LinkSchema } from '@coffer/proto/ledger/v1/link'
import { ImportMappingSchema } from '@coffer/proto/ledger/v1/mapping'
import { TransactionSchema } from '@coffer/proto/ledger/v1/transaction'
import { UploadSchema } from '@coffer/proto/ledger/v1/upload'
import { values } from '@coffer/proto/options/v1/options'
import { expect, test } from '@jest/globals'

/** CHECK constraints that list the same values as a field: schema and name, by field. */
const constraints: Record<string, [schema: string, name: string]> = {
  'Link.linkType': ['ledger', 'link_type_check'],
  'BankAccount.accountType': ['ledger', 'account_type_check'],
  'BankAccount.accountSubType': ['ledger', 'account_sub_type_check'],
  'BankAccount.status': ['ledger', 'account_status_check'],
  'Transaction.source': ['ledger', 'transaction_source_check'],
  'HistoryEntry.pot': ['ledger', 'journal_pot_check'],
  'HistoryEntry.cause': ['ledger', 'journal_cause_check'],
  'Upload.status': ['ledger', 'uploads_status_check'],
  'File.kind': ['ledger', 'files_kind_check'],
  'Spending.spendingType': ['budgeting', 'spending_spending_type_check'],
  'FeedLink.status': ['feed_sync', 'feed_links_status_check'],
  'FeedBankAccount.feedStatus': ['feed_sync', 'feed_bank_accounts_feed_status_check'],
  'FeedBankAccount.status': ['feed_sync', 'feed_bank_accounts_status_check'],
  'ApiKey.scope': ['identity', 'api_keys_scope_check'],
  'User.role': ['identity', 'users_role_check'],
}

/** Fields whose values are not those of one constraint; the tests below or the code have them. */
const others = [
  'AggregatorLink.status',
  'BankAccountSyncHealth.feedStatus',
  'BankAccountSyncHealth.status',
  'Explanation.method',
  'Import.status',
  'MappingAmount.kind',
  'MappingBalance.kind',
  'MappingField.derivedKind',
  'MappingIdentifier.kind',
  'PreviewSkip.reason',
  'SyncHealth.linkType',
  'SyncHealth.status',
]

const files: DescMessage[] = [
  LinkSchema,
  BankAccountSchema,
  TransactionSchema,
  HistoryEntrySchema,
  UploadSchema,
  ImportSchema,
  ImportMappingSchema,
  SpendingSchema,
  FeedLinkSchema,
  FeedBankAccountSchema,
  SyncHealthSchema,
  AggregatorLinkSchema,
  ApiKeySchema,
  UserSchema,
]

const nameOf = (field: DescField) => `${field.parent.name}.${field.localName}`
const listed = new Map(
  files
    .flatMap(({ file }) => file.messages.flatMap(({ fields }) => fields))
    .map((field) => [nameOf(field), getOption(field, values).toSorted()] as const)
    .filter(([, list]) => list.length > 0),
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
