import type { Log } from '@coffer/kit/service/log'

interface IfItFails<Result> {
  /** Value that replaces the result. */
  otherwise: Result
  /** Message of the log line. */
  text: string
  /** IDs for the log line. */
  about: object
}

/**
 * Makes a call of another service after the request's write was committed. Returns `otherwise` if
 * it fails: a committed write is never answered with an error (docs/api.md#after-the-commit).
 */
export async function afterCommit<Result>(
  { log }: { log: Log },
  call: () => Promise<Result>,
  { otherwise, text, about }: IfItFails<Result>,
): Promise<Result> {
  try {
    return await call()
  } catch (error) {
    log.warn({ err: error, ...about }, text)
    return otherwise
  }
}
