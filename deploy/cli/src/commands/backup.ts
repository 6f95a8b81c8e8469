import { join } from 'node:path'
import { createLog } from '@coffer/host/logger'
import { keyFileNames, readKeyFile } from '@coffer/host/secrets/key-file'
import { type Environment, readSettings } from '@coffer/host/settings'
import { settings as ledgerSettings } from '@coffer/ledger/config'
import type { Storage } from '@coffer/ledger/imports/storage/storage'
import { createStorage, storeOf } from '@coffer/ledger/imports/storage/storage.client'
import { createEncrypter, type EncryptionOptions } from '../backup/age-keys.ts'
import { type Entry, writeArchive } from '../backup/archive.ts'
import {
  type ArchivedSchema,
  type End,
  endName,
  headerName,
  jsonEntry,
} from '../backup/contents.ts'
import { placeOf } from '../backup/place.client.ts'
import {
  copyTable,
  describeSchema,
  listKeyIds,
  readSequences,
  type Snapshot,
  takeSnapshot,
} from '../backup/snapshot.ts'
import { definitions } from '../process/services.ts'
import { requireTables } from '../process/tables.ts'
import { type Config, readConfig } from '../settings/environment.ts'
import { ownerUrlOf } from '../settings/servers.ts'
import { version } from '../settings/version.ts'

/** Options of `coffer backup`. */
export interface BackupOptions extends EncryptionOptions {
  to: string
  withKeys?: boolean
  check?: boolean
}

/**
 * `coffer backup`: writes all rows, all uploaded files and optionally the keys into one encrypted
 * archive (docs/running/backup.md), a file or an object in a bucket. Services may run meanwhile.
 * With `check` it only checks that a backup is possible. Throws SettingsError for options that
 * cannot be used, FatalError when a database does not answer or lacks migrations, or the archive
 * cannot be written.
 */
export async function backUp(options: BackupOptions, env: Environment): Promise<undefined> {
  const config = readConfig(env)
  const encrypter = await createEncrypter(options)
  await requireTables(definitions, config)
  const log = createLog({ level: config.logLevel, name: 'backup' })
  const stored = readSettings(ledgerSettings, config.environment)
  const storage = createStorage(stored, log)
  const place = placeOf(options.to, storeOf(stored), new Date())
  let size = 0
  const end: End = { rows: {}, files: 0, sequences: [] }
  try {
    if (options.check) {
      await storage.list({ after: '', limit: 1 })
      await place.requireNew()
      await place.requireWritable()
      console.log(`${options.to} can take an archive`)
      return
    }
    const entries = entriesOf({ config, storage, end, withKeys: options.withKeys ?? false })
    size = await writeArchive(place, encrypter, entries)
  } finally {
    await storage.close()
  }
  const rows = Object.values(end.rows).reduce((sum, count) => sum + count, 0)
  console.log(`${place.name}: ${rows} rows, ${end.files} files, ${size} bytes`)
  if (!options.withKeys) console.log(`without the keys in ${config.keysDir}: keep a copy of them`)
}

interface Sources {
  config: Config
  storage: Storage
  /** Updated while entries are read. */
  end: End
  withKeys: boolean
}

/**
 * Yields the entries in the order in which they are restored. Files come before the snapshot of
 * rows, because an import removes its file: otherwise a row could refer to a file that is gone.
 * Files written meanwhile come at the end.
 */
async function* entriesOf({ config, storage, end, withKeys }: Sources): AsyncGenerator<Entry> {
  if (withKeys) yield* keysIn(config.keysDir)
  const files = {
    storage,
    end,
    begun: new Date(Date.now() - clockSkewMs),
    recent: new Set<string>(),
  }
  yield* filesIn(files)
  const urlOf = (name: string) => ownerUrlOf(name, config)
  await using snapshot = await takeSnapshot(definitions, urlOf)
  const schemas = await describeAll(snapshot)
  yield jsonEntry(headerName, { format: 1, version, createdAt: new Date().toISOString(), schemas })
  for (const described of schemas) {
    const { service, schema, tables } = described
    const client = snapshot.of(service)
    for (const table of tables) {
      end.rows[`${schema}.${table.table}`] = yield* copyTable(client, described, table)
    }
    end.sequences.push(...(await readSequences(client, schema)))
  }
  yield* filesIn({ ...files, isAgain: true })
  yield jsonEntry(endName, end)
}

/** Maximum difference in ms between the clocks of the storage and of this process. */
const clockSkewMs = 60_000

function* keysIn(folder: string): Generator<Entry> {
  for (const name of keyFileNames(folder)
    .filter((one) => /\.(key|pub|lost)$/.test(one))
    .sort()) {
    const text = readKeyFile(join(folder, name))
    if (text !== null) yield { name: `keys/${name}`, bytes: Buffer.from(text) }
  }
}

const pageSize = 200

interface Files extends Pick<Sources, 'storage' | 'end'> {
  begun: Date
  /** Names of yielded files that may have been written since the backup began. */
  recent: Set<string>
  isAgain?: boolean
}

/** Yields all files, or with `isAgain` those written meanwhile; omits unfinished files. */
async function* filesIn(files: Files): AsyncGenerator<Entry> {
  const { storage, end, begun, recent, isAgain = false } = files
  for (let after: string | null = ''; after !== null; ) {
    const { held, next } = await storage.list({ after, limit: pageSize })
    for (const { key, name, writtenAt } of held) {
      const isRecent = writtenAt >= begun
      if (key === null || (isAgain && (!isRecent || recent.has(name)))) continue
      const bytes = await storage.read(key)
      if (bytes === null) continue
      if (isRecent) recent.add(name)
      end.files += 1
      yield { name: `files/${name}`, bytes }
    }
    after = next
  }
}

async function describeAll(snapshot: Snapshot): Promise<ArchivedSchema[]> {
  const schemas: ArchivedSchema[] = []
  for (const definition of definitions) {
    const client = snapshot.of(definition.name)
    const described = await describeSchema(client, definition)
    schemas.push({ ...described, keyIds: await listKeyIds(client, described) })
  }
  return schemas
}
