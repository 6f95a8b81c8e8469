/** A change that was not sent, because the server cannot be reached. */
export class OfflineError extends Error {
  constructor() {
    super('The server cannot be reached')
    this.name = 'OfflineError'
  }
}
