import type { Environment, Setting } from '@coffer/kit/service/config'
import type { RunningSettings } from '@coffer/local/postgres/running-settings'
import { allSettings, readConfig } from '../environment.ts'
import { serviceNames } from '../service-names.ts'
import { databaseUrlSettings, settings } from './config.ts'

// The key in Vault is told by its name.
const secretNames = /(SECRET|PASSWORD|TOKEN|(?<!VAULT_)KEY)$/

/** `coffer config`: one line a setting, or the README's table. */
export function showConfig(options: { markdown?: boolean }, env: Environment): undefined {
  const known = settingsByName()
  if (options.markdown) {
    console.log(markdownTable([...known.values()]))
    return
  }
  const { running, keysDir } = readConfig(env)
  // The one default that depends on another setting.
  const defaults = { [settings.keysDir.env]: keysDir }
  const width = Math.max(...[...known.keys()].map((name) => name.length))
  for (const [name, setting] of known) {
    const line =
      running === null ? ownValue(setting, env, defaults) : runningValue(setting, running, env)
    console.log(`${name.padEnd(width)}  ${line}`)
  }
}

/** Secrets are masked; commands need the addresses of servers whole. */
export function publishable(environment: Environment): RunningSettings {
  const { databaseUrl, natsUrl, temporalAddress } = settings
  const addresses = [databaseUrl, natsUrl, temporalAddress, ...Object.values(databaseUrlSettings)]
  const names = addresses.map(({ env }) => env)
  const published: RunningSettings = { values: {}, masked: {} }
  for (const name of settingsByName().keys()) {
    const value = environment[name]
    if (!value) continue
    const maskedValue = masked(name, value)
    const isOpen = names.includes(name) || maskedValue === value
    if (isOpen) published.values[name] = value
    else published.masked[name] = maskedValue
  }
  return published
}

function ownValue(setting: Setting<unknown>, env: Environment, defaults: Environment): string {
  const text = env[setting.env]
  return `${shown(setting, text || defaults[setting.env])}  (${text ? 'environment' : 'default'})`
}

/** The value that the running server has, and that of this shell where it is another. */
function runningValue(
  setting: Setting<unknown>,
  running: RunningSettings,
  env: Environment,
): string {
  const name = setting.env
  const value = running.masked[name] ?? shown(setting, running.values[name])
  const isSet = name in running.masked || name in running.values
  const source = isSet ? 'npm start' : 'default'
  const own = env[name] ? shown(setting, env[name]) : value
  return `${value}  (${own === value ? source : `${source}; ${own} in this shell`})`
}

/** Every setting once: some are read by several services. */
export function settingsByName(): Map<string, Setting<unknown>> {
  const byName = new Map<string, Setting<unknown>>()
  for (const setting of allSettings.flatMap((group) => Object.values(group))) {
    if (!byName.has(setting.env)) {
      byName.set(setting.env, setting)
    }
  }
  return byName
}

/** A setting's value as text, with what is secret in it replaced by stars. */
export function shown({ env, schema }: Setting<unknown>, text: string | undefined): string {
  const { success, data } = schema.safeParse(text)
  if (!success) {
    return `invalid: ${masked(env, text ?? '')}`
  }
  if (data === undefined || data === null) {
    return '-'
  }
  return masked(env, Array.isArray(data) ? data.join(',') : String(data))
}

function masked(name: string, value: string): string {
  if (secretNames.test(name)) {
    return value === '' ? '' : '***'
  }
  // What stands between the user's name and the host of a URL is a password.
  return value.replace(/^([a-z+]+:\/\/[^:@/]*:)[^@]*@/, '$1***@')
}

/** Names, defaults and meanings; the settings that every service has are one line each. */
export function markdownTable(known: Setting<unknown>[]): string {
  const variables = serviceNames.map((name) => name.replaceAll('-', '_').toUpperCase())
  const service = new RegExp(`^COFFER_(${variables.join('|')})_((?:DATABASE_)?URL)$`)
  const rows = known.map((setting) => {
    const name = setting.env.replace(service, 'COFFER_<SERVICE>_$2')
    const value = shown(setting, undefined)
    return [`\`${name}\``, value === '-' || value === '' ? '' : `\`${value}\``, setting.about]
  })
  const unique = new Map(rows.map((row) => [row[0], row]))
  return alignedTable([['setting', 'default', 'meaning'], ...unique.values()])
}

/** Markdown as the formatter wants it: cells as wide as the widest of their column. */
function alignedTable([head = [], ...rows]: string[][]): string {
  const widths = head.map((_, column) =>
    Math.max(...[head, ...rows].map((row) => row[column]?.length ?? 0)),
  )
  const line = (row: string[], fill = ' ') =>
    `| ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0, fill)).join(' | ')} |`
  const rule = line(
    head.map(() => ''),
    '-',
  )
  return [line(head), rule, ...rows.map((row) => line(row))].join('\n')
}
