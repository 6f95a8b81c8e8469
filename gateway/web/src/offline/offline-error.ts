import { CofferError } from '@coffer/client'

/** A request without an answer, because the server cannot be reached. */
export class OfflineError extends Error {
  /** Whether a change was sent; null for a read, which may always be repeated. */
  readonly wasSent: boolean | null
  /** Whether there is no use in waiting for the server. */
  readonly isFinal: boolean

  constructor({ wasSent, isFinal }: { wasSent: boolean | null; isFinal: boolean }) {
    super('The server cannot be reached')
    this.name = 'OfflineError'
    this.wasSent = wasSent
    this.isFinal = isFinal
  }
}

/** Runs a request. One that gets no whole answer, and was not aborted, throws an OfflineError. */
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
