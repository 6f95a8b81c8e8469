import { askIdentity } from '@coffer/kit/accounts/account-removal.activities'
import { defineService } from '@coffer/kit/service/service'
import { BankAccountService } from '@coffer/proto/ledger/v1/bank_account'
import { BulkChangeService } from '@coffer/proto/ledger/v1/bulk_change'
import { CorrectionService } from '@coffer/proto/ledger/v1/correction'
import { EnvelopeService } from '@coffer/proto/ledger/v1/envelope'
import { FileService } from '@coffer/proto/ledger/v1/file'
import { HistoryService } from '@coffer/proto/ledger/v1/history'
import { ImportService } from '@coffer/proto/ledger/v1/import'
import { LinkService } from '@coffer/proto/ledger/v1/link'
import { MappingService } from '@coffer/proto/ledger/v1/mapping'
import { ObjectService } from '@coffer/proto/ledger/v1/object'
import { RuleService } from '@coffer/proto/ledger/v1/rule'
import { RuleRunService } from '@coffer/proto/ledger/v1/rule_run'
import { RuleSuggestionService } from '@coffer/proto/ledger/v1/rule_suggestion'
import { ScheduledService } from '@coffer/proto/ledger/v1/scheduled'
import { SimilarService } from '@coffer/proto/ledger/v1/similar'
import { SuggestionService } from '@coffer/proto/ledger/v1/suggestion'
import { SyncImportService } from '@coffer/proto/ledger/v1/sync_import'
import { TagService } from '@coffer/proto/ledger/v1/tag'
import { TransactionService } from '@coffer/proto/ledger/v1/transaction'
import { UploadService } from '@coffer/proto/ledger/v1/upload'
import { UploadGroupService } from '@coffer/proto/ledger/v1/upload_group'
import { bankAccountRoutes } from './accounts/bank-account.rpc.ts'
import { linkRoutes } from './accounts/link.rpc.ts'
import { settings } from './config.ts'
import { envelopeRoutes } from './envelopes/envelope.rpc.ts'
import { historyRoutes } from './envelopes/history.rpc.ts'
import { scheduledRoutes } from './envelopes/scheduled.rpc.ts'
import { watchDebts } from './imports/debt-restatement.service.ts'
import { fileImportActivities } from './imports/file-import.activities.ts'
import { startReaders } from './imports/formats/statement-pool.client.ts'
import { importRoutes } from './imports/import.rpc.ts'
import { importPreviewActivities } from './imports/import-preview.activities.ts'
import { mappingRoutes } from './imports/mapping.rpc.ts'
import { uploadGroupRoutes } from './imports/several/upload-group.rpc.ts'
import { watchFilePlace } from './imports/storage/file-place.service.ts'
import { createStorage } from './imports/storage/storage.client.ts'
import { fileRoutes } from './imports/storage/stored-file.rpc.ts'
import { uploadRoutes } from './imports/upload.rpc.ts'
import { createMoneyWriter } from './money/writer.service.ts'
import { objectRoutes } from './objects/object.rpc.ts'
import { ruleSuggestionRoutes } from './rule-suggestions/rule-suggestion.rpc.ts'
import { ruleRoutes } from './rules/rule.rpc.ts'
import { createRuleFilling, createRuleRenaming } from './rules/rule.service.ts'
import { ruleRunActivities } from './rules/rule-run.activities.ts'
import { ruleRunRoutes } from './rules/rule-run.rpc.ts'
import { startSearchers } from './similar/cluster-pool.client.ts'
import { similarActivities } from './similar/similar.activities.ts'
import { similarRoutes } from './similar/similar.rpc.ts'
import { suggestionRoutes } from './suggestions/suggestion.rpc.ts'
import { suggestionReader } from './suggestions/suggestion.service.ts'
import { accountSyncRoutes } from './syncs/sync-accounts.rpc.ts'
import { transactionSyncRoutes } from './syncs/sync-import.rpc.ts'
import { isRenamed } from './syncs/sync-join.ts'
import { linkSyncRoutes } from './syncs/sync-links.rpc.ts'
import { providerListRoutes } from './syncs/sync-list.rpc.ts'
import { accountDeletionActivities } from './tenancy/account-deletion.activities.ts'
import { eventHandlers } from './tenancy/events.consumer.ts'
import { linkCleanUpActivities } from './tenancy/link-clean-up.activities.ts'
import { sweepActivities } from './tenancy/sweep.activities.ts'
import { timezoneActivities } from './tenancy/timezone.activities.ts'
import { bulkChangeRoutes } from './transactions/bulk-change.rpc.ts'
import { transactionReader } from './transactions/shown-transactions.service.ts'
import { tagRoutes } from './transactions/tag.rpc.ts'
import { transactionRoutes } from './transactions/transaction.rpc.ts'
import { transactionBatchRoutes } from './transactions/transaction-batch.rpc.ts'
import { correctionRoutes } from './transactions/transaction-correction.rpc.ts'
import { transactionListRoutes } from './transactions/transaction-list.rpc.ts'

/** The ledger service (docs/money.md): routes, event handlers, workflows and schedules. */
export const ledger = defineService({
  name: 'ledger',
  schema: 'ledger',
  migrations: new URL('../migrations', import.meta.url),
  settings,
  create: (offered) => {
    const readers = startReaders()
    const searchers = startSearchers()
    const storage = createStorage(offered.config, offered.log)
    const place = watchFilePlace(offered)
    const quietMs = offered.config.similarQuietSeconds * 1000
    const deps = { ...offered, quietMs, readers, searchers, storage, ...createMoneyWriter(offered) }
    const upward = { ...deps, ...upwardOf(deps) }
    const debts = watchDebts(deps)
    const reads = shownRoutes(upward)
    return {
      routes: (router) => {
        router.service(LinkService, reads)
        router.service(BankAccountService, reads)
        router.service(EnvelopeService, envelopeRoutes(deps))
        router.service(ScheduledService, scheduledRoutes(deps))
        router.service(TransactionService, {
          ...transactionRoutes(upward),
          ...transactionBatchRoutes(upward),
          ...transactionListRoutes(deps),
        })
        router.service(BulkChangeService, bulkChangeRoutes(deps))
        router.service(RuleService, reads)
        router.service(RuleRunService, reads)
        router.service(RuleSuggestionService, ruleSuggestionRoutes(upward))
        router.service(TagService, tagRoutes(upward))
        router.service(CorrectionService, correctionRoutes(deps))
        router.service(SuggestionService, suggestionRoutes(deps))
        router.service(SyncImportService, {
          ...linkSyncRoutes(deps),
          ...accountSyncRoutes(deps),
          ...transactionSyncRoutes(deps),
          ...providerListRoutes(deps),
        })
        router.service(UploadService, reads)
        router.service(UploadGroupService, reads)
        router.service(SimilarService, similarRoutes(deps))
        router.service(HistoryService, historyRoutes(deps))
        router.service(FileService, fileRoutes(deps))
        router.service(ImportService, reads)
        router.service(MappingService, reads)
        router.service(ObjectService, objectRoutes({ reads, ...upward }))
      },
      handlers: eventHandlers(deps),
      activities: {
        ...accountDeletionActivities({ ...deps, requireDeletion: askIdentity(deps) }),
        ...fileImportActivities(deps),
        ...importPreviewActivities(deps),
        ...linkCleanUpActivities(deps),
        ...ruleRunActivities(upward),
        ...similarActivities(deps),
        ...sweepActivities(deps),
        ...timezoneActivities(deps),
      },
      schedules: [
        { type: 'sweepLedger', id: 'ledger-sweep', args: [], cron: '*/10 * * * *' },
        { type: 'findWaitingSimilar', id: 'similar-waiting', args: [], cron: '* * * * *' },
      ],
      close: async () => {
        await readers[Symbol.asyncDispose]()
        await searchers[Symbol.asyncDispose]()
        await place[Symbol.asyncDispose]()
        await debts[Symbol.asyncDispose]()
        await storage.close()
      },
    }
  },
})

type Shown = Parameters<typeof bankAccountRoutes>[0] &
  Parameters<typeof importRoutes>[0] &
  Parameters<typeof linkRoutes>[0] &
  Parameters<typeof mappingRoutes>[0] &
  Parameters<typeof ruleRoutes>[0] &
  Parameters<typeof ruleRunRoutes>[0] &
  Parameters<typeof uploadRoutes>[0] &
  Parameters<typeof uploadGroupRoutes>[0]

/** Returns the RPC handlers that read the objects in the change feed. */
function shownRoutes(deps: Shown) {
  return {
    ...bankAccountRoutes(deps),
    ...importRoutes(deps),
    ...linkRoutes(deps),
    ...mappingRoutes(deps),
    ...ruleRoutes(deps),
    ...ruleRunRoutes(deps),
    ...uploadRoutes(deps),
    ...uploadGroupRoutes(deps),
  }
}

/** Dependency inversion: functions of `rules` and `suggestions` that `transactions` calls. */
function upwardOf(deps: Parameters<typeof createRuleFilling>[0]) {
  const listSuggestions = suggestionReader(deps)
  return {
    fillByRules: createRuleFilling(deps),
    renameInRules: createRuleRenaming(deps),
    listSuggestions,
    readTransactions: transactionReader({ ...deps, listSuggestions }),
    isRenamed,
  }
}
