/** A change that is not sent, because the server cannot be reached. */
export class OfflineError extends Error {
  /** Whether it was sent before, without an answer. */
  readonly wasSent: boolean
  /** Whether there is no use in waiting for the server. */
  readonly isFinal: boolean

  constructor({ wasSent, isFinal }: { wasSent: boolean; isFinal: boolean }) {
    super('The server cannot be reached')
    this.name = 'OfflineError'
    this.wasSent = wasSent
    this.isFinal = isFinal
  }
}
