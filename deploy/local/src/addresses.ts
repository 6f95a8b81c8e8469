import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Stack } from './stack.ts'

type Addresses = Pick<Stack, 'databaseUrl' | 'natsUrl' | 'temporalAddress'>

/**
 * Writes where the servers of a data directory are, while they run, so that other commands on
 * this machine find them. The database URL holds a password: the file is for its owner alone.
 */
export function publishAddresses(dataDir: string, addresses: Addresses): Disposable {
  const path = addressesPath(dataDir)
  const { databaseUrl, natsUrl, temporalAddress } = addresses
  const settings = {
    COFFER_DATABASE_URL: databaseUrl,
    COFFER_NATS_URL: natsUrl,
    COFFER_TEMPORAL_ADDRESS: temporalAddress,
  }
  rmSync(path, { force: true })
  writeFileSync(path, JSON.stringify(settings), { mode: 0o600 })
  return { [Symbol.dispose]: () => rmSync(path, { force: true }) }
}

/** The settings that lead to the servers of this data directory; none when they do not run. */
export function publishedAddresses(dataDir: string): Record<string, string> {
  try {
    return JSON.parse(readFileSync(addressesPath(dataDir), 'utf8'))
  } catch {
    return {}
  }
}

function addressesPath(dataDir: string): string {
  return join(dataDir, 'run/addresses')
}
