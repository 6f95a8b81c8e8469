import { type CodeMembers, codeMembers } from '../answers/coded-text.ts'
import type { ProblemTree } from './problems.ts'

/**
 * An error of one value in a request; code and parameters only if its sentence has a declared code.
 */
interface Fault extends CodeMembers {
  /** JSON Pointer (RFC 6901) as a URI fragment: `#/conditions/amountTo`. */
  pointer: string
  detail: string
}

interface ReasonMembers extends CodeMembers {
  errors?: Fault[]
}

/** Maximum number of faults of values in an answer (docs/limits.md). */
const faultsMax = 100

/**
 * Returns the members that identify refusals for programs (docs/api/refusals.md): code and
 * parameters of the whole refusal, and of the error of each value.
 */
export function reasonMembers({
  error,
  problems,
}: {
  error: string
  problems?: ProblemTree | undefined
}): ReasonMembers {
  const faults = problems === undefined ? [] : faultsOf(problems, [])
  return {
    ...codeMembers(error),
    ...(faults.length > 0 ? { errors: faults.slice(0, faultsMax) } : {}),
  }
}

/** Returns the errors by value; those of union alternatives (`oneOf`) count for the value. */
function faultsOf(problem: ProblemTree[string], path: readonly string[]): Fault[] {
  if (typeof problem === 'string') {
    const pointer = ['#', ...path.map(tokenOf)].join('/')
    return [{ pointer, detail: problem, ...codeMembers(problem) }]
  }
  if (Array.isArray(problem)) return problem.flatMap((one) => faultsOf(one, path))
  return Object.entries(problem).flatMap(([key, one]) =>
    faultsOf(one, key === 'oneOf' ? path : [...path, key]),
  )
}

/** Escapes a key for a JSON Pointer in a URI fragment (RFC 6901, 3 and 6). */
function tokenOf(key: string): string {
  return encodeURIComponent(key.replaceAll('~', '~0').replaceAll('/', '~1'))
}
