import type { z } from 'zod'

/** One setting: its environment variable, what it does, and its form with the default. */
export interface Setting<T> {
  env: string
  about: string
  schema: z.ZodType<T>
}

export type Settings = Record<string, Setting<unknown>>

export type ValuesOf<S extends Settings> = {
  [Name in keyof S]: S[Name] extends Setting<infer T> ? T : never
}

export type Environment = Record<string, string | undefined>

/** Settings that cannot be used; the message has one line per variable. */
export class SettingsError extends Error {
  override name = 'SettingsError'
}

export function setting<T>(env: string, schema: z.ZodType<T>, about: string): Setting<T> {
  return { env, about, schema }
}

/**
 * Reads the settings from the environment; an empty variable counts as unset.
 * Throws SettingsError naming every variable that has a bad value.
 */
export function readSettings<S extends Settings>(settings: S, env: Environment): ValuesOf<S> {
  const problems: string[] = []
  const values = Object.entries(settings).map(([name, { env: variable, schema }]) => {
    const parsed = schema.safeParse(env[variable] || undefined)
    if (!parsed.success) {
      problems.push(`${variable}: ${parsed.error.issues.map(({ message }) => message).join('; ')}`)
    }
    return [name, parsed.data]
  })
  if (problems.length > 0) throw new SettingsError(problems.join('\n'))
  return Object.fromEntries(values)
}

/** Variables with the prefix that no setting knows: misspellings, most likely. */
export function unknownVariables(all: Settings[], env: Environment, prefix = 'COFFER_'): string[] {
  const known = new Set(all.flatMap((settings) => Object.values(settings).map(({ env }) => env)))
  return Object.keys(env).filter((name) => name.startsWith(prefix) && !known.has(name))
}
