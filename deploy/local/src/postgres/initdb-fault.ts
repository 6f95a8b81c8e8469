import { FatalError } from '../../bootstrap/fatal-error.mjs'

/**
 * The one line of `initdb`'s long output that says why it failed, such as a disk that is full; the
 * error as it is, where no line does.
 *
 * @param place the directory that the cluster was to be created in
 */
export function initdbFault(error: FatalError, place: string): FatalError {
  const reason = /\b(?:FATAL|PANIC|error): +(.+)/.exec(error.message)?.[1]
  if (reason === undefined) return error
  return new FatalError(`The database could not be created in ${place}: ${reason}`)
}
