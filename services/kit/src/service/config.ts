import { z } from 'zod'

export interface Setting<T> {
  env: string
  about: string
  schema: z.ZodType<T>
}

export type Settings = Record<string, Setting<unknown>>

export type ValuesOf<S extends Settings> = {
  [Name in keyof S]: S[Name] extends Setting<infer T> ? T : never
}

/** Invalid or missing settings. The message has a line for each environment variable. */
export class SettingsError extends Error {
  override name = 'SettingsError'
}

/** Defines a setting, which is read from the environment variable `env`. */
export function setting<T>(env: string, schema: z.ZodType<T>, about: string): Setting<T> {
  return { env, about, schema }
}

/** Returns the schema of a setting that limits the objects of an account: 1 to 1,000,000. */
export function accountBound(fallback: number): z.ZodType<number> {
  return z.coerce.number().int().min(1).max(1_000_000).default(fallback)
}

/** Schema of an http or https URL. */
export const httpUrl = z.url({ protocol: /^https?$/, error: 'must be an http or https URL' })
