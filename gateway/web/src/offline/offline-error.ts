import { CofferError } from '@coffer/client'

/** A request without an answer, because the server cannot be reached. */
export class OfflineError extends Error {
  /**
   * Whether the change was sent, so that it may have been executed; null for a GET, which is always
   * safe to retry.
   */
  readonly wasSent: boolean | null
  /** Whether the browser itself is offline, so that waiting for the server is useless. */
  readonly isFinal: boolean

  constructor({ wasSent, isFinal }: { wasSent: boolean | null; isFinal: boolean }) {
    super('The server cannot be reached')
    this.name = 'OfflineError'
    this.wasSent = wasSent
    this.isFinal = isFinal
  }
}

/** Runs a request. Throws an OfflineError if it gets no complete answer and was not aborted. */
export async function withAnswer<Result>(
  { signal }: { signal: AbortSignal },
  ask: () => Promise<Result>,
): Promise<Result> {
  try {
    return await ask()
  } catch (error) {
    const isKnown = error instanceof OfflineError || error instanceof CofferError
    if (isKnown || signal.aborted) throw error
    throw new OfflineError({ wasSent: null, isFinal: false })
  }
}
