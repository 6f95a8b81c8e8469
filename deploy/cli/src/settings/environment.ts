import { settings as aggregatorSyncSettings } from '@coffer/aggregator-sync/config'
import { settings as budgetingSettings } from '@coffer/budgeting/config'
import { settings as feedSyncSettings } from '@coffer/feed-sync/config'
import { settings as gatewaySettings } from '@coffer/gateway/config'
import { keySettings } from '@coffer/host/secrets/key-settings'
import { type Environment, readSettings, unknownVariables } from '@coffer/host/settings'
import { settings as identitySettings } from '@coffer/identity/config'
import {
  type Setting,
  type Settings,
  SettingsError,
  type ValuesOf,
} from '@coffer/kit/service/config'
import { settings as ledgerSettings } from '@coffer/ledger/config'
import { machineConfig, settings as machineSettings } from '@coffer/local/config'
import { type RunningSettings, runningSettings } from '@coffer/local/data-directory'
import { settings as noticesSettings } from '@coffer/notices/config'
import leven from 'leven'
import { databaseUrlSettings, directUrlSettings, settings, urlSettings } from './config.ts'

/** All settings that a process may read, imported without their services to keep `--help` fast. */
export const allSettings: Settings[] = [
  settings,
  machineSettings,
  keySettings,
  gatewaySettings,
  identitySettings,
  ledgerSettings,
  budgetingSettings,
  aggregatorSyncSettings,
  feedSyncSettings,
  noticesSettings,
  urlSettings,
  databaseUrlSettings,
  directUrlSettings,
]

/** Variables of the tests and the benchmark, which are not settings. */
const others = /^COFFER_(TEST_|LOAD_GENERATOR$)/
/**
 * Maximum edits between a misspelt name and a suggested setting: one typo, or two swapped letters.
 */
const similarMax = 2

/** Settings of a process, and the environment variables from which its services read settings. */
export type Config = ValuesOf<typeof settings> & {
  dataDir: string
  keysDir: string
  /** Address of the REST API for clients, without a trailing slash; empty when not set. */
  externalUrl: string
  urls: Record<string, string>
  databaseUrls: Record<string, string>
  directDatabaseUrls: Record<string, string>
  environment: Environment
  /** Settings of the server that `npm start` runs on the data directory; null if none runs. */
  running: RunningSettings | null
}

/**
 * Reads the settings of a process. If `npm start` runs on the data directory, the settings of its
 * server are the defaults. Throws SettingsError naming every invalid setting and every unknown
 * `COFFER_` variable.
 */
export function readConfig(env: Environment): Config {
  requireSettings(env)
  const { dataDir } = machineConfig(env)
  const running = runningSettings(dataDir)
  const environment = { ...running?.values, ...withoutEmpty(env) }
  const values = readSettings(settings, environment)
  return {
    ...values,
    dataDir,
    keysDir: keysDirOf(environment),
    externalUrl: readSettings(gatewaySettings, environment).externalUrl.replace(/\/+$/, ''),
    urls: present(readSettings(urlSettings, environment)),
    databaseUrls: present(readSettings(databaseUrlSettings, environment)),
    directDatabaseUrls: present(readSettings(directUrlSettings, environment)),
    environment,
    running,
  }
}

/** Throws SettingsError naming every unknown `COFFER_` variable and every invalid setting. */
export function requireSettings(env: Environment): void {
  const faults = [...unknownFaults(env), ...unreadableFaults(env)]
  if (faults.length > 0) throw new SettingsError(faults.join('\n'))
}

/** Returns the path of the keys folder: by default `keys` in the data directory. */
export function keysDirOf(env: Environment): string {
  const { keysDir } = readSettings({ keysDir: settings.keysDir }, env)
  return keysDir ?? `${machineConfig(env).dataDir}/keys`
}

/** Returns the lines of the SettingsError that a check throws; empty when the check passes. */
export function collectFaults(check: () => unknown): string[] {
  try {
    check()
    return []
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error
    return error.message.split('\n')
  }
}

/** Lists the ports that a process opens, keyed by their settings. */
export function portsOf(
  config: Pick<Config, 'port' | 'rpcPort' | 'grpcPort' | 'metricsPort'>,
): Record<string, number> {
  const { port, rpcPort, grpcPort, metricsPort } = config
  return {
    COFFER_PORT: port,
    COFFER_RPC_PORT: rpcPort,
    COFFER_GRPC_PORT: grpcPort,
    ...(metricsPort === undefined ? {} : { COFFER_METRICS_PORT: metricsPort }),
  }
}

/** Throws SettingsError when two of the ports, keyed by their settings, are equal. */
export function requireDistinct(ports: Record<string, number>): void {
  const all = Object.entries(ports)
  for (const [index, [setting, port]] of all.entries()) {
    const other = all.slice(0, index).find(([, taken]) => taken === port)
    if (other) throw new SettingsError(`${setting}: ${port} is ${other[0]} already`)
  }
}

function unknownFaults(env: Environment): string[] {
  const known = allSettings.flatMap((group) => Object.values(group))
  return unknownVariables(allSettings, env)
    .filter((name) => !others.test(name))
    .map((name) => unknownText(name, known))
}

/** Returns one line for each invalid setting, and only one if several services define it. */
function unreadableFaults(environment: Environment): string[] {
  const faults = allSettings.flatMap((group) =>
    collectFaults(() => readSettings(group, environment)),
  )
  const names = faults.map((fault) => fault.split(':', 1)[0])
  return faults.filter((_, index) => names.indexOf(names[index]) === index)
}

function unknownText(name: string, known: Setting<unknown>[]): string {
  const [nearest] = known
    .map(({ env }) => ({ env, distance: leven(name, env) }))
    .sort((left, right) => left.distance - right.distance)
  const guess =
    nearest !== undefined && nearest.distance <= similarMax
      ? `did you mean ${nearest.env}?`
      : '"coffer config" lists all settings'
  return `${name}: there is no such setting; ${guess}`
}

function withoutEmpty(env: Environment): Environment {
  return Object.fromEntries(Object.entries(env).filter(([, value]) => value))
}

function present(values: Record<string, string | undefined>): Record<string, string> {
  const entries = Object.entries(values).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value] as const],
  )
  return Object.fromEntries(entries)
}
