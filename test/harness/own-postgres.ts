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
}

/** Starts a server in a directory of its own; `from` prepares the files of a copy. */
export async function startOwnPostgres(from?: (dataDir: string) => void): Promise<OwnPostgres> {
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
      const settings = { shared_buffers: '32MB' }
      const options = { dataDir, port, log: silent, env, fresh: false, settings }
      const started = await startPostgres(options)
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
    standby: () => startStandby(own, dataDir),
    [Symbol.asyncDispose]: async () => {
      await server?.stop('SIGKILL')
      removePostgresHome(dataDir)
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
  await own.start()
  return own
}

/** Copies the files of the running server as a base backup does, and starts a standby on them. */
async function startStandby(primary: OwnPostgres, dataDir: string): Promise<OwnPostgres> {
  const client = new pg.Client({ connectionString: primary.url })
  await client.connect()
  const base = mkdtempSync(join(tmpdir(), 'coffer-base-'))
  try {
    await client.query(`SELECT pg_backup_start('standby', true)`)
    copy(join(dataDir, 'postgres'), join(base, 'postgres'))
    const { rows } = await client.query('SELECT labelfile FROM pg_backup_stop(false)')
    return await startOwnPostgres((copyDir) => {
      const cluster = join(copyDir, 'postgres/data')
      for (const name of ['postgres', 'postgres-password']) {
        copy(join(name === 'postgres' ? base : dataDir, name), join(copyDir, name))
      }
      rmSync(join(cluster, 'postmaster.pid'))
      writeFileSync(join(cluster, 'backup_label'), rows[0].labelfile)
      writeFileSync(join(cluster, 'standby.signal'), '')
      writeFileSync(join(cluster, 'postgresql.auto.conf'), `primary_conninfo = '${primary.url}'\n`)
      // Files that root has written belong to root; the server's user is that of the cluster.
      spawnSync('chown', ['-R', `--reference=${cluster}`, cluster])
    })
  } finally {
    await client.end()
    rmSync(base, { recursive: true })
  }
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
