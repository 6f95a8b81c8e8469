import { FatalError } from '../../bootstrap/fatal-error.mjs'

/**
 * An error with the reason alone, taken from the output of `initdb`, such as a full disk. Without a
 * reason in the output, the same error.
 *
 * @param place the directory of the new cluster
 */
export function initdbFault(error: FatalError, place: string): FatalError {
  const reason = /\b(?:FATAL|PANIC|error): +(.+)/.exec(error.message)?.[1]
  if (reason === undefined) return error
  return new FatalError(`The database could not be created in ${place}: ${reason}`)
}
