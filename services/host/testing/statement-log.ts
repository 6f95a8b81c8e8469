import type { Database } from '@coffer/kit/database/database'
import { createDatabase, type DatabaseOptions } from '../src/database/pool.ts'

/** The statements that a database was sent. */
export interface StatementLog {
  /** Statements sent so far, BEGIN and COMMIT included, except those that match `except`. */
  statements: (except?: RegExp) => number
  /** Distinct texts of the statements sent so far, without BEGIN and COMMIT: for EXPLAIN. */
  texts: () => string[]
  /** Distinct texts of the short reads (`read` of the kit) sent so far. */
  reads: () => string[]
}

export type LoggedDatabase = Database & StatementLog

const ofTransactions = /^(START TRANSACTION|COMMIT|ROLLBACK|SAVEPOINT|RELEASE)\b/

/** Creates a log, and the option of `createDatabase` that fills it. */
export function createStatementLog(): {
  log: StatementLog
  onStatement: (text: string, schema: string, isRead: boolean) => void
} {
  const reads = new Set<string>()
  const sent = new Map<string, number>()
  const log: StatementLog = {
    statements: (except) => {
      const counted = [...sent].filter(([text]) => !except?.test(text))
      return counted.reduce((sum, [, times]) => sum + times, 0)
    },
    texts: () => [...sent.keys()].filter((text) => !ofTransactions.test(text)),
    reads: () => [...reads],
  }
  const onStatement = (text: string, _schema: string, isRead: boolean): void => {
    sent.set(text, (sent.get(text) ?? 0) + 1)
    if (isRead) reads.add(text)
  }
  return { log, onStatement }
}

/** Creates a connection pool that logs its statements. */
export async function createLoggedDatabase(options: DatabaseOptions): Promise<LoggedDatabase> {
  const { log, onStatement } = createStatementLog()
  return Object.assign(await createDatabase({ ...options, onStatement }), log)
}
