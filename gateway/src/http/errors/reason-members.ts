import { type CodeMembers, codeMembers } from '../answers/coded-text.ts'
import type { ProblemTree } from './problems.ts'

/** A fault of one value of a request; code and parameters only if its sentence is declared. */
interface Fault extends CodeMembers {
  /** JSON Pointer (RFC 6901) as a URI fragment: `#/conditions/amountTo`. */
  pointer: string
  detail: string
}

interface ReasonMembers extends CodeMembers {
  errors?: Fault[]
}

/** Maximum number of faults in an answer (docs/limits.md). */
const faultsMax = 100

/**
 * Returns the members by which programs tell refusals apart (docs/api/refusals.md): code and
 * parameters of the whole refusal, and those of each fault of a value.
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

/** Returns the faults by value; alternatives of a value (`oneOf`) are faults of the value. */
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
