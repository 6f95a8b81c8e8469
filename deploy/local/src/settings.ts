import { resolve } from 'node:path'
import { z } from 'zod'
import { FatalError } from '../bootstrap/fatal-error.mjs'
import type { Ports } from './ports.ts'

const port = z.coerce.number().int().min(1).max(65_535)

const Settings = z.object({
  COFFER_DATA_DIR: z.string().min(1).default('.coffer'),
  COFFER_POSTGRES_PORT: port.default(4032),
  COFFER_NATS_PORT: port.default(4033),
  COFFER_TEMPORAL_PORT: port.default(4034),
})

/**
 * What `npm start` needs to know of the environment.
 *
 * @throws {FatalError} naming the first bad setting
 */
export function settingsFrom(env: NodeJS.ProcessEnv): { dataDir: string; ports: Ports } {
  const { data, error } = Settings.safeParse(env)
  if (error !== undefined) {
    const [issue] = error.issues
    const name = String(issue?.path[0])
    throw new FatalError(`${name}: ${issue?.message} ("${env[name]}")`)
  }
  return {
    dataDir: resolve(data.COFFER_DATA_DIR),
    ports: {
      postgres: data.COFFER_POSTGRES_PORT,
      nats: data.COFFER_NATS_PORT,
      temporal: data.COFFER_TEMPORAL_PORT,
    },
  }
}
