import type { Environment } from '@coffer/host/settings'
import type { Setting } from '@coffer/kit/service/config'
import type { RunningSettings } from '@coffer/local/data-directory'
import { databaseUrlSettings, directUrlSettings, settings } from '../settings/config.ts'
import { allSettings, readConfig } from '../settings/environment.ts'
import { serviceNames } from '../settings/service-names.ts'

// Matches the names of settings that are secrets. COFFER_VAULT_KEY is only the name of a key, and
// the keys of NATS and Temporal are paths of files.
const secretNames = /(SECRET|PASSWORD|TOKEN|(?<!COFFER_(VAULT|NATS|TEMPORAL)_)KEY)$/

/** `coffer config`: prints one line for each setting, or a Markdown table for the README. */
export function showConfig(options: { markdown?: boolean }, env: Environment): undefined {
  const known = settingsByName()
  if (options.markdown) {
    console.log(markdownTable([...known.values()]))
    return
  }
  const { running, keysDir } = readConfig(env)
  // Only the default of COFFER_KEYS_DIR depends on another setting, COFFER_DATA_DIR.
  const defaults = { [settings.keysDir.env]: keysDir }
  const width = Math.max(...[...known.keys()].map((name) => name.length))
  for (const [name, setting] of known) {
    const line =
      running === null ? ownValue(setting, env, defaults) : runningValue(setting, running, env)
    console.log(`${name.padEnd(width)}  ${line}`)
  }
}

/**
 * Returns the settings of a running server that other commands may read. Secrets are masked, but
 * not the passwords in URLs of Postgres, NATS and Temporal: commands connect to these servers.
 */
export function publishable(environment: Environment): RunningSettings {
  const { databaseUrl, directDatabaseUrl, natsUrl, temporalAddress } = settings
  const ofServices = [databaseUrlSettings, directUrlSettings].flatMap(
    Object.values<Setting<unknown>>,
  )
  const addresses = [databaseUrl, directDatabaseUrl, natsUrl, temporalAddress, ...ofServices]
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

/** Returns a setting's value on the running server and, if different, its value in this shell. */
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

/** Returns every setting, keyed by its variable; a setting of several services appears once. */
export function settingsByName(): Map<string, Setting<unknown>> {
  const byName = new Map<string, Setting<unknown>>()
  for (const setting of allSettings.flatMap((group) => Object.values(group))) {
    if (!byName.has(setting.env)) {
      byName.set(setting.env, setting)
    }
  }
  return byName
}

/** Returns a setting's value as text, with `***` in place of secrets. */
export function shown({ env, schema }: Setting<unknown>, text: string | undefined): string {
  const { success, data } = schema.safeParse(text)
  if (!success) return `invalid: ${masked(env, text ?? '')}`
  if (data === undefined || data === null) return '-'
  return masked(env, Array.isArray(data) ? data.join(',') : String(data))
}

function masked(name: string, value: string): string {
  if (secretNames.test(name)) return value === '' ? '' : '***'
  // Hides the password in the user information of URLs, `user:password@` (RFC 3986 3.2.1), and in
  // all URLs of a list, as NATS has.
  const hidden = value.replace(/([a-z+]+:\/\/[^:@/,]*:)[^@]*@/g, '$1***@')
  // In URLs of NATS, user information without a colon is a token, so it is hidden too.
  return name === settings.natsUrl.env ? hidden.replace(/:\/\/[^:@,]+@/g, '://***@') : hidden
}

/** Returns a Markdown table of the settings; `COFFER_<SERVICE>_…` settings share one row. */
export function markdownTable(known: Setting<unknown>[]): string {
  const variables = serviceNames.map((name) => name.replaceAll('-', '_').toUpperCase())
  const service = new RegExp(`^COFFER_(${variables.join('|')})_((?:(?:DIRECT_)?DATABASE_)?URL)$`)
  const rows = known.map((setting) => {
    const name = setting.env.replace(service, 'COFFER_<SERVICE>_$2')
    const value = shown(setting, undefined)
    return [`\`${name}\``, value === '-' || value === '' ? '' : `\`${value}\``, setting.about]
  })
  const unique = new Map(rows.map((row) => [row[0], row]))
  return alignedTable([['setting', 'default', 'meaning'], ...unique.values()])
}

/** Pads each cell to the width of its column. */
function alignedTable(table: string[][]): string {
  const [head = [], ...rows] = table
  const widths = head.map((_, column) => Math.max(...table.map((row) => row[column]?.length ?? 0)))
  const line = (row: string[], fill = ' ') =>
    `| ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0, fill)).join(' | ')} |`
  const rule = line(
    head.map(() => ''),
    '-',
  )
  return [line(head), rule, ...rows.map((row) => line(row))].join('\n')
}
