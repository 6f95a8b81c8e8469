import { settings as gatewaySettings } from '@coffer/gateway/config'
import {
  type Environment,
  readSettings,
  type Setting,
  type Settings,
  SettingsError,
  unknownVariables,
  type ValuesOf,
} from '@coffer/kit/config'
import { keySettings } from '@coffer/kit/key-settings'
import { publishedAddresses } from '@coffer/local/addresses'
import { machineConfig, settings as machineSettings } from '@coffer/local/config'
import leven from 'leven'
import { databaseUrlSettings, settings, urlSettings } from './config.ts'
import { definitions } from './services.ts'

/** Every group of settings that a process may read. */
export const allSettings: Settings[] = [
  settings,
  machineSettings,
  keySettings,
  gatewaySettings,
  ...definitions.map((definition) => definition.settings),
  urlSettings,
  databaseUrlSettings,
]

/** Variables that other commands read: the tests and the benchmark. */
const others = /^COFFER_(TEST_|LOAD_GENERATOR$)/
const similarMax = 4

/** What a process knows: its own settings, and the environment that its services read theirs of. */
export type Config = ValuesOf<typeof settings> & {
  dataDir: string
  keysDir: string
  urls: Record<string, string>
  databaseUrls: Record<string, string>
  environment: Environment
  /** Names of the variables that the servers of `npm start` have set. */
  published: string[]
}

/**
 * Reads the process's settings. Where the servers of `npm start` run on the data directory, their
 * addresses stand in for settings that are not set.
 *
 * @throws {SettingsError} naming every bad setting and every variable that is none
 */
export function readConfig(env: Environment): Config {
  refuseUnknown(env)
  const { dataDir } = machineConfig(env)
  const published = publishedAddresses(dataDir)
  const environment = { ...published, ...withoutEmpty(env) }
  refuseUnreadable(environment)
  const values = readSettings(settings, environment)
  return {
    ...values,
    dataDir,
    keysDir: values.keysDir ?? `${dataDir}/keys`,
    urls: present(readSettings(urlSettings, environment)),
    databaseUrls: present(readSettings(databaseUrlSettings, environment)),
    environment,
    published: Object.keys(published).filter((name) => !env[name]),
  }
}

function refuseUnknown(env: Environment): void {
  const unknown = unknownVariables(allSettings, env).filter((name) => !others.test(name))
  if (unknown.length > 0) {
    const known = allSettings.flatMap((group) => Object.values(group))
    throw new SettingsError(unknown.map((name) => unknownText(name, known)).join('\n'))
  }
}

/**
 * Every group is read before anything is started, so that all bad settings are named at once, each
 * by the first group that has it.
 */
function refuseUnreadable(environment: Environment): void {
  const faults = allSettings.flatMap((group) => {
    try {
      readSettings(group, environment)
      return []
    } catch (error) {
      if (!(error instanceof SettingsError)) throw error
      return error.message.split('\n')
    }
  })
  const names = faults.map((fault) => fault.split(':', 1)[0])
  const first = faults.filter((_, index) => names.indexOf(names[index]) === index)
  if (first.length > 0) throw new SettingsError(first.join('\n'))
}

function unknownText(name: string, known: Setting<unknown>[]): string {
  const [nearest] = known
    .map(({ env }) => ({ env, distance: leven(name, env) }))
    .sort((left, right) => left.distance - right.distance)
  const guess =
    nearest !== undefined && nearest.distance <= similarMax
      ? `did you mean ${nearest.env}?`
      : 'see "coffer config" for those there are'
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
