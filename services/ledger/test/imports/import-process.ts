import { createDatabase } from '@coffer/host/database/pool'
import { connectBroker } from '@coffer/host/events/nats'
import { silentLog } from '@coffer/host/testing/silent-log'
import { fileImportActivities } from '../../src/imports/file-import.activities.ts'
import { startReaders } from '../../src/imports/formats/statement-pool.client.ts'
import { createDiskStorage } from '../../src/imports/storage/disk-storage.client.ts'
import { createMoneyWriter } from '../../src/money/writer.service.ts'
import type { ImportTask } from './large-files.ts'

/** A process that imports one file without NATS, so that a test can kill it during the import. */
const { url, folder, key }: ImportTask = JSON.parse(process.argv[2] ?? '')
const limits = { poolSizeMax: 4, statementTimeoutMs: 10_000 }
const database = await createDatabase({ url, schema: 'ledger', ...limits })
const nowhere = { url: 'nats://127.0.0.1:1', prefix: 'none', serviceNames: [], log: silentLog }
const clock = () => new Date()
const { importFile } = fileImportActivities({
  database,
  clock,
  broker: await connectBroker(nowhere),
  storage: createDiskStorage(folder),
  readers: startReaders(),
  ...createMoneyWriter({ database, clock }),
})
await importFile(key)
process.exit()
