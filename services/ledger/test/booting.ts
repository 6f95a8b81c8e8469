import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Booted, boot } from '@coffer/host/testing/boot'
import { afterAll, beforeAll } from '@jest/globals'

/**
 * Boots services before the tests of a file, with a data directory of their own, and stops them
 * afterwards. The result has its members once the first test runs.
 */
export function booting(
  services: Parameters<typeof boot>[0],
  settings: Parameters<typeof boot>[1] = {},
): Booted & { dataDir: string } {
  const booted = {} as Booted & { dataDir: string }
  beforeAll(async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'coffer-ledger-'))
    Object.assign(booted, await boot(services, { COFFER_DATA_DIR: dataDir, ...settings }), {
      dataDir,
    })
  })
  afterAll(async () => {
    await booted[Symbol.asyncDispose]()
    await rm(booted.dataDir, { recursive: true, force: true })
  })
  return booted
}
