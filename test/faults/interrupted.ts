/** An operation that a test interrupts with SIGKILL, together with other operations. */
export interface Interrupted {
  /** Starts the operation. A test calls it before the kill. */
  act: () => Promise<void>
  /** Called between the kill and the restart. */
  whileDown?: () => Promise<void>
  /** Checks the result of the operation after the restart. */
  afterRestart: () => Promise<void>
}
