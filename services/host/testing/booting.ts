import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach } from '@jest/globals'
import { type Booted, boot } from './boot.ts'

/**
 * Boots services before the tests of a file, with a data directory of their own, and stops them
 * afterwards. The result has its members once the first test runs. Before each test the clock is
 * set to `now`, RFC 3339, or to the system's if it is null.
 */
export function booting(
  services: Parameters<typeof boot>[0],
  settings: Parameters<typeof boot>[1] = {},
  now?: string | null,
): Booted & { dataDir: string } {
  const booted = {} as Booted & { dataDir: string }
  beforeAll(async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'coffer-data-'))
    Object.assign(booted, await boot(services, { COFFER_DATA_DIR: dataDir, ...settings }), {
      dataDir,
    })
  })
  beforeEach(() => {
    if (now !== undefined) booted.clock.now = now === null ? null : new Date(now)
  })
  afterAll(async () => {
    await booted[Symbol.asyncDispose]()
    await rm(booted.dataDir, { recursive: true, force: true })
  })
  return booted
}
