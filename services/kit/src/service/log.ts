import type { Logger } from 'pino'

/** The log of a service or process: structured lines (JSON). */
export type Log = Logger
