import { type Settings, SettingsError, type ValuesOf } from '@coffer/kit/service/config'
import type { z } from 'zod'

/** Environment variables by name. */
export type Environment = Record<string, string | undefined>

/**
 * Reads settings from environment variables; an empty variable counts as unset.
 * @throws {SettingsError} when values are invalid, with a line for each variable
 */
export function readSettings<S extends Settings>(settings: S, env: Environment): ValuesOf<S> {
  const problems: string[] = []
  const values = Object.entries(settings).map(([name, { env: variable, schema }]) => {
    const parsed = schema.safeParse(env[variable] || undefined, { error: plainText })
    if (!parsed.success) {
      const texts = new Set(parsed.error.issues.map(({ message }) => message))
      problems.push(`${variable}: ${[...texts].join('; ')}`)
    }
    return [name, parsed.data]
  })
  if (problems.length > 0) throw new SettingsError(problems.join('\n'))
  return Object.fromEntries(values)
}

/** Returns variables with the prefix that match no setting, which are probably misspelt. */
export function unknownVariables(all: Settings[], env: Environment, prefix = 'COFFER_'): string[] {
  const known = new Set(all.flatMap((settings) => Object.values(settings).map(({ env }) => env)))
  return Object.keys(env).filter((name) => name.startsWith(prefix) && !known.has(name))
}

/** Returns the error text of a zod issue in plain words; undefined leaves zod's own text. */
function plainText(issue: z.core.$ZodRawIssue): string | undefined {
  const { code, origin, inclusive, expected } = issue
  const unit = origin === 'string' ? ' characters' : ''
  const verb = origin === 'string' ? 'have' : 'be'
  switch (code) {
    case 'invalid_type':
      if (issue.input === undefined) return 'must be set'
      return expected === 'int' ? 'must be a whole number' : `must be a ${expected}`
    case 'too_big':
      return `must ${verb} ${inclusive ? 'at most' : 'less than'} ${issue.maximum}${unit}`
    case 'too_small':
      return `must ${verb} ${inclusive ? 'at least' : 'more than'} ${issue.minimum}${unit}`
    case 'invalid_value':
      return issue.values.includes('true')
        ? 'must be true or false'
        : `must be one of: ${issue.values.join(', ')}`
    case 'invalid_format':
      return formatText(issue.format, issue.prefix)
    default:
      return undefined
  }
}

function formatText(format: string, prefix: unknown): string | undefined {
  if (format === 'starts_with') return `must begin with ${prefix}`
  if (format === 'email') return 'must be an email address'
  return format === 'url' ? 'must be a URL' : undefined
}
