import type { JsonSchema } from '../http/answers/answer.ts'
import { keysOf } from '../http/answers/answer-keys.ts'
import type { Route } from '../http/route.ts'
import { readExamples } from './examples.ts'

/** Examples of query parameters that have the same meaning in every operation. */
const usual: Record<string, unknown> = {
  limit: 10,
  offset: 20,
  adjusts_balance: true,
  soft: true,
  update_account_selection: true,
  use_cache: true,
  wait: 30,
}

/** Number of keys in the example of `fields`. */
const keysShown = 2

/**
 * Returns the keyword `example` for a path or query parameter: the recorded value of the operation,
 * or, for an ID, the value of another operation; empty without a value.
 */
export function parameterExample(
  { id, answer }: Route,
  name: string,
  { type }: JsonSchema = {},
): JsonSchema {
  if (name === 'fields' && answer) {
    return { example: keysOf(answer).slice(0, keysShown).join(',') }
  }
  if (name in usual) return { example: usual[name] }
  const sent = readExamples().parameters[id]?.[name] ?? (/Id$/.test(name) ? idOf(name) : undefined)
  if (sent === undefined) return {}
  return { example: type === 'integer' || type === 'boolean' ? JSON.parse(sent) : sent }
}

/** Returns a recorded ID, of any operation. */
function idOf(name: string): string | undefined {
  const all = Object.values(readExamples().parameters)
  return all.find((parameters) => name in parameters)?.[name]
}
