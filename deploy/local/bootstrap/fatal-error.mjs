// @ts-check

/** A failure whose message tells the user all there is to know: shown without a stack trace. */
export class FatalError extends Error {
  /** @override */
  name = 'FatalError'
}
