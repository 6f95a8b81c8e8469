import { isEntry } from '@coffer/host/secrets/key-file'
import { createKeyEncryption, keySettings } from '@coffer/host/secrets/key-settings'
import { type Environment, readSettings } from '@coffer/host/settings'
import { SettingsError } from '@coffer/kit/service/config'
import { machineConfig } from '@coffer/local/config'
import { Command, InvalidArgumentError, Option } from 'commander'
import { z } from 'zod'
import { settings } from '../settings/config.ts'
import {
  collectFaults,
  keysDirOf,
  portsOf,
  requireDistinct,
  requireSettings,
} from '../settings/environment.ts'
import { requireKeysFolder } from '../settings/keys-folder.ts'
import { serviceChecks } from '../settings/serve-settings.ts'
import { type TryProvider, tryEnvironment, tryProviders } from './try-providers.ts'

/** Defaults of `npm start`, which serves one machine without a load balancer. */
const defaults = {
  COFFER_ALLOW_SIGN_UP: 'true',
  COFFER_UPLOADS_ENABLED: 'true',
  COFFER_LOG_LEVEL: 'warn',
  COFFER_LAME_DUCK_SECONDS: '0',
}

const replicasMax = 4

/** Defaults with replicas. Their load balancer detects a stopping process within this time. */
const meshDefaults = { COFFER_LAME_DUCK_SECONDS: '3' }

/** The arguments of `npm start`. */
export interface StartArguments {
  /** Simulated providers to start. */
  providers: TryProvider[]
  /** Number of processes of the gateway and of each service; null for one process with all. */
  replicas: number | null
}

/**
 * Returns the environment of the server that `npm start` runs, checked before any server starts.
 * One process hosts every service, so dependent settings are checked together. Includes the
 * settings for the simulated providers. Throws SettingsError naming every invalid and every missing
 * setting.
 */
export function startEnvironment(
  env: Environment,
  { providers, replicas }: StartArguments,
): Environment {
  const environment = { ...defaults, ...(replicas === null ? {} : meshDefaults), ...env }
  const faults = [
    () => requireSettings(environment),
    () => requireDistinct(listPorts(environment, providers)),
    ...Object.values(serviceChecks).map((check) => () => {
      check(tryEnvironment(environment, providers))
    }),
    () => createKeyEncryption(readSettings(keySettings, environment), keysDirOf(environment)),
    () => requireKeys(environment),
  ].flatMap(collectFaults)
  if (faults.length > 0) throw new SettingsError([...new Set(faults)].join('\n'))
  return tryEnvironment(environment, providers)
}

/**
 * Reads the arguments of `npm start`. Prints an error on one line and exits with 2 when they are
 * wrong, prints help and exits with 0 when asked for it.
 */
export function readArguments(args: string[]): StartArguments {
  const command = new Command('npm start --')
    .description('Starts Coffer with Postgres, NATS and Temporal.')
    .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : 2))
    .option('--mesh', 'processes for the gateway and each service, behind a balancer')
    .option('--replicas <count>', `with --mesh: processes of each, 1 to ${replicasMax}`, readCount)
  const options = tryProviders.map(({ name, about }) => new Option(`--${name}`, about))
  for (const option of options) command.addOption(option)
  const given = command.parse(args, { from: 'user' }).opts()
  if (given.replicas && !given.mesh) command.error("error: option '--replicas' needs '--mesh'")
  return {
    providers: tryProviders.filter((_, index) => given[options[index]?.attributeName() ?? '']),
    replicas: given.mesh ? (given.replicas ?? 1) : null,
  }
}

function readCount(text: string): number {
  const { success, data } = z.coerce.number().int().min(1).max(replicasMax).safeParse(text)
  if (success) return data
  throw new InvalidArgumentError(`It must be a whole number from 1 to ${replicasMax}.`)
}

/**
 * Checks the keys folder only if it exists or is configured. Otherwise the error of an unusable
 * data directory would name COFFER_KEYS_DIR.
 */
function requireKeys(environment: Environment): void {
  const folder = keysDirOf(environment)
  if (environment.COFFER_KEYS_DIR || isEntry(folder)) {
    requireKeysFolder(folder, readSettings(keySettings, environment))
  }
}

/** Lists the ports that `npm start` opens, keyed by their settings. */
function listPorts(environment: Environment, providers: TryProvider[]): Record<string, number> {
  const { postgres, nats, temporal } = machineConfig(environment).ports
  const { COFFER_DATABASE_URL, COFFER_NATS_URL, COFFER_TEMPORAL_ADDRESS } = environment
  return {
    ...portsOf(readSettings(settings, environment)),
    ...(COFFER_DATABASE_URL ? {} : { COFFER_POSTGRES_PORT: postgres }),
    ...(COFFER_NATS_URL ? {} : { COFFER_NATS_PORT: nats }),
    ...(COFFER_TEMPORAL_ADDRESS ? {} : { COFFER_TEMPORAL_PORT: temporal }),
    ...Object.fromEntries(
      providers.map(({ portSetting, portOf }) => [portSetting, portOf(environment)]),
    ),
  }
}
