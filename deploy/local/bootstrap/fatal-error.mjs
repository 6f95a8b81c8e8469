// @ts-check

/** A failure that the user can correct. Its message is printed without a stack trace. */
export class FatalError extends Error {
  /** @override */
  name = 'FatalError'
}
