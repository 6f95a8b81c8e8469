import type { Progress } from '../bootstrap/progress.mjs'
import type { ServerProcess } from './server-process.ts'

/** What a server is started with. */
export type ServerOptions = {
  /** Absolute path of the directory that holds everything the stack keeps. */
  dataDir: string
  port: number
  log: Progress
  env: NodeJS.ProcessEnv
  /** Throw away what an earlier run kept. */
  fresh: boolean
}

/** A running server, or somebody else's that a setting points to (then without a process). */
export type Server = { url: string; process: ServerProcess | null }
