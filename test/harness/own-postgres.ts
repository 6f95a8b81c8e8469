import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Progress } from '@coffer/local/bootstrap/progress.mjs'
import { freePorts } from '@coffer/local/ports'
import { startPostgres } from '@coffer/local/postgres/postgres'
import { removePostgresHome } from '@coffer/local/postgres/postgres-home'
import type { ServerProcess } from '@coffer/local/server-process'
import pg from 'pg'

const silent: Progress = { say: () => {}, step: (_name, _text, work) => work() }

/** A Postgres server of one test, whose files the test copies. */
export interface OwnPostgres extends AsyncDisposable {
  url: string
  start: () => Promise<void>
  /** Stops the server: `SIGINT` as an administrator does, `SIGKILL` as a crash. */
  stop: (signal: 'SIGINT' | 'SIGKILL') => Promise<void>
  query: (text: string) => Promise<Record<string, unknown>[]>
  /** Copies the files of the stopped server; the returned function puts them back. */
  keepFiles: () => () => void
  /** Starts a standby of this server, which follows it and answers reads. */
  standby: () => Promise<OwnPostgres>
  /** Copies the files of the running server, as a base backup does. */
  baseBackup: () => Promise<BaseBackup>
}

/** A base backup. Disposing deletes it. */
export interface BaseBackup extends AsyncDisposable {
  /** Starts a server on a copy, which follows `settings` of recovery (postgresql.conf). */
  start: (signal: 'standby' | 'recovery', settings: string) => Promise<OwnPostgres>
}

export interface OwnPostgresOptions {
  /** Prepares the files of a copy. */
  from?: (dataDir: string) => void
  /** Further settings of the server. */
  settings?: Record<string, string>
}

/** Starts a server in a directory of its own. */
export async function startOwnPostgres(options: OwnPostgresOptions = {}): Promise<OwnPostgres> {
  const { from } = options
  const dataDir = mkdtempSync(join(tmpdir(), 'coffer-own-'))
  for (const name of ['log', 'run']) mkdirSync(join(dataDir, name))
  from?.(dataDir)
  const [port = 0] = await freePorts(1)
  const files = join(dataDir, 'postgres')
  let server: ServerProcess | null = null
  const own: OwnPostgres = {
    url: '',
    start: async () => {
      const env = { PATH: process.env.PATH, HOME: process.env.HOME }
      const settings = { shared_buffers: '32MB', ...options.settings }
      const started = await startPostgres({
        dataDir,
        port,
        log: silent,
        env,
        fresh: false,
        settings,
      })
      own.url = started.url
      server = started.process
    },
    stop: async (signal) => server?.stop(signal),
    query: (text) => query(own.url, text),
    keepFiles: () => {
      const kept = join(dataDir, 'kept')
      copy(files, kept)
      return () => {
        rmSync(files, { recursive: true })
        copy(kept, files)
      }
    },
    standby: async () => {
      await using base = await takeBase(own, dataDir)
      return await base.start('standby', `primary_conninfo = '${own.url}'\n`)
    },
    baseBackup: () => takeBase(own, dataDir),
    [Symbol.asyncDispose]: async () => {
      await server?.stop('SIGKILL')
      removePostgresHome(dataDir)
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
  await own.start()
  return own
}

async function takeBase(primary: OwnPostgres, dataDir: string): Promise<BaseBackup> {
  const client = new pg.Client({ connectionString: primary.url })
  await client.connect()
  const base = mkdtempSync(join(tmpdir(), 'coffer-base-'))
  try {
    await client.query(`SELECT pg_backup_start('base', true)`)
    copy(join(dataDir, 'postgres'), join(base, 'postgres'))
    copy(join(dataDir, 'postgres-password'), join(base, 'postgres-password'))
    const { rows } = await client.query('SELECT labelfile FROM pg_backup_stop(false)')
    return {
      start: (signal, settings) => startCopy({ base, label: rows[0].labelfile, signal, settings }),
      [Symbol.asyncDispose]: async () => rmSync(base, { recursive: true }),
    }
  } finally {
    await client.end()
  }
}

function startCopy({
  base,
  label,
  signal,
  settings,
}: {
  base: string
  label: string
  signal: string
  settings: string
}): Promise<OwnPostgres> {
  return startOwnPostgres({
    from: (copyDir) => {
      const cluster = join(copyDir, 'postgres/data')
      for (const name of ['postgres', 'postgres-password']) {
        copy(join(base, name), join(copyDir, name))
      }
      rmSync(join(cluster, 'postmaster.pid'))
      writeFileSync(join(cluster, 'backup_label'), label)
      writeFileSync(join(cluster, `${signal}.signal`), '')
      writeFileSync(join(cluster, 'postgresql.auto.conf'), settings)
      // Files that root has written belong to root; the server's user is that of the cluster.
      spawnSync('chown', ['-R', `--reference=${cluster}`, cluster])
    },
  })
}

/** Copies with owners and modes. Files that vanish meanwhile, and sockets, do not matter. */
function copy(from: string, to: string): void {
  spawnSync('cp', ['-a', from, to])
}

async function query(url: string, text: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => {})
  await client.connect()
  try {
    return (await client.query(text)).rows
  } finally {
    await client.end()
  }
}
