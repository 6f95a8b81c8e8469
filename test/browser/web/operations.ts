import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '@coffer/local/bootstrap/paths.mjs'

interface Operation {
  operationId?: string
  security?: Record<string, unknown>[]
}

/**
 * Operations that a session may call and no screen needs, each with the reason; before a
 * colon is the operation that the app calls instead.
 */
export const unneeded: Record<string, string> = {
  createTransactions: 'imports are files, and a person adds one transaction',
  estimateNextFunding: 'getForecast: has what each envelope will get',
  exportAccount: 'read by fetch, which tells how much has come',
  getBalances: 'getOverview: has the sums',
  getDelivery: 'listDeliveries: has the whole of each',
  getFeedLink: 'getOverview: has the connection of each link',
  getInstitution: 'Plaid Link shows the bank before it is connected',
  getRuleRun: 'listRuleRuns: has all runs',
  getUploadGroup: 'listUploadGroups: has all groups',
  getUser: 'getMe: an account has one user',
  listChanges: 'followChanges of the client calls it where streams are held back',
  listFiles: 'listUploads: has the file of each',
  listLinks: 'getOverview: has all links',
  watchChanges: 'followChanges of the client calls it',
  watchFeedSync: 'getLinkHealth: tells the end of a sync, whatever the kind of link',
}

/** Returns the operations of the OpenAPI document that a session may call. */
export function operationsOfSessions(): string[] {
  const file = join(root, 'gateway/client/openapi.json')
  const { paths } = JSON.parse(readFileSync(file, 'utf8')) as {
    paths: Record<string, Record<string, Operation>>
  }
  const operations = Object.values(paths).flatMap((path) => Object.values(path))
  const own = operations.filter(({ security }) => security?.some((one) => 'session' in one))
  return own.flatMap(({ operationId }) => operationId ?? []).sort()
}

/** Returns the operations that the sources of the app call by its client. */
export function operationsOfApp(): Set<string> {
  const paths = globSync('gateway/web/src/**/*.{ts,tsx}', { cwd: root })
  const sources = paths.map((path) => readFileSync(join(root, path), 'utf8'))
  const calls = sources.flatMap((text) => [...text.matchAll(/\bcoffer\s*\.(\w+)/g)])
  return new Set(calls.map(([, operation = '']) => operation))
}
