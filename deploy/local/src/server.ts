import type { Progress } from '../bootstrap/progress.mjs'
import type { ServerProcess } from './server-process.ts'

/** Options of a server of the stack. */
export type ServerOptions = {
  /** Absolute path of the data directory. */
  dataDir: string
  port: number
  log: Progress
  env: NodeJS.ProcessEnv
  /** Deletes the data of earlier runs. */
  fresh: boolean
}

/** A running server; `process` is null when a setting names a server that is not ours. */
export type Server = { url: string; process: ServerProcess | null }
