import { rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { MigrationError, migrateTo } from '@coffer/host/database/migrations'
import { tablesOf } from '@coffer/host/host'
import { createLog } from '@coffer/host/logger'
import { makeKeyFile, readKeyFile } from '@coffer/host/secrets/key-file'
import { createKeyEncryption, keySettings } from '@coffer/host/secrets/key-settings'
import { archivedKeyIds } from '@coffer/host/secrets/local-keys'
import { type Environment, readSettings } from '@coffer/host/settings'
import { settings as ledgerSettings } from '@coffer/ledger/config'
import { parseName, type Storage } from '@coffer/ledger/imports/storage/storage'
import { createStorage, storeOf } from '@coffer/ledger/imports/storage/storage.client'
import { FatalError } from '@coffer/local/bootstrap/fatal-error.mjs'
import { createProgress } from '@coffer/local/bootstrap/progress.mjs'
import { machineConfig } from '@coffer/local/config'
import { startDatabase } from '@coffer/local/stack'
import { createDecrypter, type DecryptionOptions } from '../backup/age-keys.ts'
import { type Entry, readArchive } from '../backup/archive.ts'
import { End, endName, Header, headerName, nameIn, parsePart } from '../backup/contents.ts'
import { beginLoading, type Loading } from '../backup/load.ts'
import { placeOf } from '../backup/place.client.ts'
import { requirePostgres } from '../process/databases.ts'
import { definitions } from '../process/services.ts'
import { updateTables } from '../process/tables.ts'
import { type Config, readConfig } from '../settings/environment.ts'
import { ownerUrlOf } from '../settings/servers.ts'

/** Options of `coffer restore`. */
export interface RestoreOptions extends DecryptionOptions {
  from: string
}

/**
 * `coffer restore`: loads an archive of `coffer backup` into empty databases and an empty storage
 * (docs/running/backup.md). Without a database in the settings, it starts the Postgres of the data
 * directory, which `npm start` then uses. Reads the whole archive once before changing anything.
 * Throws SettingsError for options that cannot be used, FatalError for an archive or databases that
 * cannot be used.
 */
export async function restore(options: RestoreOptions, env: Environment): Promise<undefined> {
  const config = readConfig(env)
  const decrypter = await createDecrypter(options)
  const wrongKey = options.passphraseFile === undefined ? 'wrong identity' : 'wrong passphrase'
  const stored = readSettings(ledgerSettings, config.environment)
  const place = placeOf(options.from, storeOf(stored), new Date())
  const read = () => readArchive(place, decrypter, wrongKey)
  const outline = await checkArchive(read(), place.name)
  requireKeys(outline, config)
  if (hasDatabase(config)) return load(outline, read, config)
  const { dataDir, ports } = machineConfig(env)
  const log = createProgress()
  await using own = await startDatabase({ dataDir, port: ports.postgres, log, env })
  await load(outline, read, readConfig({ ...env, COFFER_DATABASE_URL: own.url }))
}

function hasDatabase(config: Config): boolean {
  const { databaseUrl, databaseUrls, directDatabaseUrl, directDatabaseUrls } = config
  const urls = [...Object.keys(databaseUrls), ...Object.keys(directDatabaseUrls)]
  return urls.length > 0 || databaseUrl !== undefined || directDatabaseUrl !== undefined
}

async function load(
  outline: Outline,
  read: () => AsyncIterable<Entry>,
  config: Config,
): Promise<undefined> {
  const urlOf = (name: string) => ownerUrlOf(name, config)
  await requirePostgres(definitions, urlOf)
  await createTables(outline.header, urlOf)
  const log = createLog({ level: config.logLevel, name: 'restore' })
  const storage = createStorage(readSettings(ledgerSettings, config.environment), log)
  const undo: (() => Promise<unknown>)[] = []
  try {
    await requireNoFiles(storage)
    await using loading = await beginLoading(outline.header.schemas, urlOf)
    const target = { loading, storage, keysDir: config.keysDir, undo }
    for await (const entry of read()) await restoreEntry(entry, target)
    requireRows(await loading.end(outline.end.sequences), outline.end.rows)
    await loading.commit()
  } catch (error) {
    const onFailure = (err: unknown) => log.error({ err }, 'a part of the failed restore remains')
    for (const step of undo) await step().catch(onFailure)
    throw error
  } finally {
    await storage.close()
  }
  await updateTables(definitions, config)
  const rows = Object.values(outline.end.rows).reduce((sum, count) => sum + count, 0)
  console.log(`${rows} rows and ${outline.files} files of ${outline.header.createdAt} are restored`)
  console.log('start the services now: they publish all changes again and go on with all work')
}

/** An archive without its rows and files. */
interface Outline {
  header: Header
  end: End
  files: number
  keys: Map<string, string>
}

/** Reads a whole archive. Throws FatalError when it is incomplete or has an unsupported version. */
async function checkArchive(entries: AsyncIterable<Entry>, path: string): Promise<Outline> {
  const keys = new Map<string, string>()
  const json = new Map<string, unknown>()
  let files = 0
  for await (const { name, bytes } of entries) {
    const key = nameIn('keys', name)
    if (key !== null) keys.set(key, Buffer.from(bytes).toString())
    if (nameIn('files', name) !== null) files += 1
    if (name.endsWith('.json')) json.set(name, JSON.parse(Buffer.from(bytes).toString()))
  }
  const header = Header.safeParse(json.get(headerName))
  const end = End.safeParse(json.get(endName))
  if (!header.success || !end.success || end.data.files !== files) {
    throw new FatalError(`${path} is no archive of "coffer backup" that this version can read.`)
  }
  return { header: header.data, end: end.data, files, keys }
}

/**
 * Throws FatalError when secrets of the archive could not be decrypted, or existing keys would be
 * overwritten.
 */
function requireKeys({ header, keys }: Outline, { keysDir, environment }: Config): void {
  for (const [name, text] of keys) {
    const existing = readKeyFile(join(keysDir, name))
    if (existing === null || existing === text) continue
    throw new FatalError(
      `${join(keysDir, name)} is another key than the archive's: name an empty keys folder.`,
    )
  }
  const own = createKeyEncryption(readSettings(keySettings, environment), keysDir)
  const archived = archivedKeyIds(keys)
  const needed = new Set(header.schemas.flatMap(({ keyIds }) => keyIds))
  const missing = [...needed].filter(
    (keyId) => !archived.has(keyId) && !own.isAtHand(keyId) && !own.isLost(keyId),
  )
  if (missing.length === 0) return
  const [named, pronoun, verb] =
    missing.length === 1 ? ['key', 'its file', 'is'] : ['keys', 'their files', 'are']
  throw new FatalError(
    `The archive has secrets under the ${named} ${missing.join(', ')}, which ${verb} not in ` +
      `${keysDir}: bring ${pronoun} back first, or run "coffer keys:create --lost" for each that ` +
      'is lost.',
  )
}

/**
 * Creates the tables as they were in the version that wrote the archive. Throws FatalError when
 * this program lacks a migration of that version.
 */
async function createTables(header: Header, urlOf: (name: string) => string): Promise<void> {
  for (const definition of definitions) {
    const archived = header.schemas.find(({ service }) => service === definition.name)
    if (!archived) throw new FatalError(`The archive has no tables of ${definition.name}.`)
    const tables = tablesOf(definition, urlOf(definition.name))
    await migrateTo(tables, archived.migrations).catch((error) => {
      if (!(error instanceof MigrationError)) throw error
      throw new FatalError(`${error.message} The archive is of version ${header.version}.`)
    })
  }
}

async function requireNoFiles(storage: Storage): Promise<void> {
  const { held } = await storage.list({ after: '', limit: 1 })
  if (held.length > 0) throw new FatalError('The storage has files: restore into an empty one.')
}

interface Target {
  loading: Loading
  storage: Storage
  keysDir: string
  /** Steps that undo the writes outside the databases if the restore fails. */
  undo: (() => Promise<unknown>)[]
}

async function restoreEntry({ name, bytes }: Entry, target: Target): Promise<void> {
  const { loading, storage, keysDir, undo } = target
  const part = parsePart(name)
  if (part !== null) return loading.add(part, bytes)
  const file = parseName(nameIn('files', name) ?? '')
  if (file?.key) {
    undo.push(() => storage.remove(file.name))
    await storage.write(file.key, once(bytes))
  }
  const key = nameIn('keys', name)
  if (key !== null && key === basename(key)) {
    const path = join(keysDir, key)
    const advice = `make ${keysDir} a folder that can be written, with free space`
    if (makeKeyFile(path, () => Buffer.from(bytes).toString(), advice)) undo.push(() => rm(path))
  }
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes
}

function requireRows(loaded: End['rows'], archived: End['rows']): void {
  for (const [table, count] of Object.entries(archived)) {
    if ((loaded[table] ?? 0) === count) continue
    throw new FatalError(`${table} has ${loaded[table] ?? 0} rows instead of ${count}.`)
  }
}
