/** One of several operations that a single SIGKILL interrupts. */
export interface Interrupted {
  /** Starts the operation before the kill. */
  act: () => Promise<void>
  /** Runs while the process is stopped. */
  whileDown?: () => Promise<void>
  /** Checks the result after the restart. */
  afterRestart: () => Promise<void>
}
