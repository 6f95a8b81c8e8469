import { defineService } from '@coffer/kit/service'
import { BankAccountService } from '@coffer/proto/ledger/v1/bank_account'
import { EnvelopeService } from '@coffer/proto/ledger/v1/envelope'
import { FileService } from '@coffer/proto/ledger/v1/file'
import { HistoryService } from '@coffer/proto/ledger/v1/history'
import { ImportService } from '@coffer/proto/ledger/v1/import'
import { LinkService } from '@coffer/proto/ledger/v1/link'
import { MappingService } from '@coffer/proto/ledger/v1/mapping'
import { ScheduledService } from '@coffer/proto/ledger/v1/scheduled'
import { SimilarService } from '@coffer/proto/ledger/v1/similar'
import { SyncImportService } from '@coffer/proto/ledger/v1/sync_import'
import { TransactionService } from '@coffer/proto/ledger/v1/transaction'
import { UploadService } from '@coffer/proto/ledger/v1/upload'
import { accountDeletionActivities } from './account-deletion.activities.ts'
import { bankAccountRoutes } from './bank-account.rpc.ts'
import { startSearchers } from './cluster-pool.client.ts'
import { settings } from './config.ts'
import { envelopeRoutes } from './envelope.rpc.ts'
import { eventHandlers } from './events.consumer.ts'
import { fileImportActivities } from './file-import.activities.ts'
import { historyRoutes } from './history.rpc.ts'
import { importRoutes } from './import.rpc.ts'
import { importPreviewActivities } from './import-preview.activities.ts'
import { linkRoutes } from './link.rpc.ts'
import { linkCleanUpActivities } from './link-clean-up.activities.ts'
import { mappingRoutes } from './mapping.rpc.ts'
import { createMoneyWriter } from './money/writer.service.ts'
import { scheduledRoutes } from './scheduled.rpc.ts'
import { similarActivities } from './similar.activities.ts'
import { similarRoutes } from './similar.rpc.ts'
import { startReaders } from './statement-pool.client.ts'
import { openStorage } from './storage.client.ts'
import { fileRoutes } from './stored-file.rpc.ts'
import { sweepActivities } from './sweep.activities.ts'
import { accountSyncRoutes } from './sync-accounts.rpc.ts'
import { transactionSyncRoutes } from './sync-import.rpc.ts'
import { transactionRoutes } from './transaction.rpc.ts'
import { uploadRoutes } from './upload.rpc.ts'

const workflowModules = [
  new URL('./file-import.workflow.ts', import.meta.url),
  new URL('./import-preview.workflow.ts', import.meta.url),
  new URL('./link-clean-up.workflow.ts', import.meta.url),
  new URL('./similar.workflow.ts', import.meta.url),
  new URL('./sweep.workflow.ts', import.meta.url),
]

/** The ledger: all the money (design 1). */
export const ledger = defineService({
  name: 'ledger',
  schema: 'ledger',
  migrations: new URL('../migrations', import.meta.url),
  settings,
  create: (offered) => {
    const readers = startReaders()
    const searchers = startSearchers()
    const storage = openStorage(offered.config, offered.log)
    const quietMs = offered.config.similarQuietSeconds * 1000
    const deps = { ...offered, quietMs, readers, searchers, storage, ...createMoneyWriter(offered) }
    return {
      routes: (router) => {
        router.service(LinkService, linkRoutes(deps))
        router.service(BankAccountService, bankAccountRoutes(deps))
        router.service(EnvelopeService, envelopeRoutes(deps))
        router.service(ScheduledService, scheduledRoutes(deps))
        router.service(TransactionService, transactionRoutes(deps))
        router.service(SyncImportService, {
          ...accountSyncRoutes(deps),
          ...transactionSyncRoutes(deps),
        })
        router.service(UploadService, uploadRoutes(deps))
        router.service(SimilarService, similarRoutes(deps))
        router.service(HistoryService, historyRoutes(deps))
        router.service(FileService, fileRoutes(deps))
        router.service(ImportService, importRoutes(deps))
        router.service(MappingService, mappingRoutes(deps))
      },
      handlers: eventHandlers(deps),
      workflowModules,
      activities: {
        ...accountDeletionActivities(deps),
        ...fileImportActivities(deps),
        ...importPreviewActivities(deps),
        ...linkCleanUpActivities(deps),
        ...similarActivities(deps),
        ...sweepActivities(deps),
      },
      schedules: [
        {
          type: 'sweepLedger',
          id: 'ledger-sweep',
          taskQueue: 'ledger',
          args: [],
          cron: '*/10 * * * *',
        },
        {
          type: 'findWaitingSimilar',
          id: 'similar-waiting',
          taskQueue: 'ledger',
          args: [],
          cron: '* * * * *',
        },
      ],
      close: async () => {
        await readers[Symbol.asyncDispose]()
        await searchers[Symbol.asyncDispose]()
        await storage.close()
      },
    }
  },
})
