import { say } from '@coffer/kit/reasons/reasons'
import type { Problems } from '@coffer/kit/rpc/errors'
import { readDay, startOfDay } from '@coffer/kit/values/day'
import type { z } from 'zod'
import { texts } from '../fields/fields.ts'

type Issue = z.core.$ZodIssue

/**
 * Maximum number of unknown keys that an answer lists, and maximum length of each (docs/limits.md).
 */
const unknownKeysMax = 100
const keyLengthMax = 100

/** The `problems` of an answer, keyed by field; under `oneOf` a list with an item per shape. */
export type ProblemTree = { [field: string]: string | ProblemTree | (string | ProblemTree)[] }

/**
 * Returns zod's issues as a tree by field, with the first problem of each field. Problems of a
 * union's shapes are under `oneOf`, by index (docs/api/errors.md). `timezone` is the account's IANA
 * name, or empty.
 */
export function problemsOfIssues(issues: readonly Issue[], timezone = ''): Problems {
  const tree = emptyTree<Problems>()
  for (const issue of issues) {
    const path = issue.path.map(String)
    if (issue.code === 'unrecognized_keys') {
      for (const key of issue.keys.slice(0, unknownKeysMax)) {
        put(tree, [...path, key.slice(0, keyLengthMax)], texts.unknown)
      }
    } else if (issue.code === 'invalid_union') {
      issue.errors.forEach((found, index) => {
        put(tree, [...path, 'oneOf', String(index)], problemOf(found, timezone))
      })
    } else {
      put(tree, path, messageOf(issue, timezone))
    }
  }
  return tree
}

/** Converts the problems in a service's error to the `problems` of an answer. */
export function problemTree(problems: Problems): ProblemTree {
  const tree = emptyTree<ProblemTree>()
  for (const [field, problem] of Object.entries(problems)) {
    if (typeof problem === 'string') tree[field] = problem
    else if (field === 'oneOf') tree[field] = Object.values(problem).map(alternative)
    else tree[field] = problemTree(problem)
  }
  return tree
}

function alternative(problem: string | Problems): string | ProblemTree {
  return typeof problem === 'string' ? problem : problemTree(problem)
}

/**
 * Returns the problem of one shape of a union: a text about the whole value, or a tree by field.
 */
function problemOf(issues: readonly Issue[], timezone: string): string | Problems {
  const whole = issues.find(({ path, code }) => path.length === 0 && code !== 'unrecognized_keys')
  return whole ? messageOf(whole, timezone) : problemsOfIssues(issues, timezone)
}

/**
 * Returns the text of a problem. For a date where an instant is required, it gives midnight of that
 * day in the timezone; for other invalid instants, a midnight in the timezone as an example.
 */
function messageOf(issue: Issue, timezone: string): string {
  const { day, isInstant } = (issue.code === 'custom' ? issue.params : undefined) ?? {}
  if (timezone === '') return issue.message
  if (isInstant === true) {
    return say('NOT_TIMESTAMP', { example: midnightOf(exampleDay, timezone) })
  }
  if (typeof day !== 'string') return issue.message
  return say('TIME_MISSING', { instant: midnightOf(day, timezone), timezone })
}

const exampleDay = '2026-01-31'

function midnightOf(day: string, timezone: string): string {
  return new Date(startOfDay(readDay(day) ?? 0, timezone)).toISOString().replace('.000Z', 'Z')
}

function put(tree: Problems, path: string[], problem: string | Problems): void {
  let branch = tree
  for (const field of path.slice(0, -1)) {
    const below = branch[field]
    if (typeof below === 'string') return
    const next = below ?? emptyTree<Problems>()
    branch[field] = next
    branch = next
  }
  const last = path.at(-1) ?? ''
  branch[last] ??= problem
}

// Prototype pollution: without a prototype, `__proto__` is an ordinary key.
function emptyTree<Tree extends object>(): Tree {
  return Object.create(null)
}
