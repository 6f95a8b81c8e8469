/** A case that one kill interrupts together with others. */
export interface Interrupted {
  /** Starts what the kill interrupts. */
  act: () => Promise<void>
  /** Runs while the process is down. */
  whileDown?: () => Promise<void>
  /** Checks the result once the process runs again. */
  afterRestart: () => Promise<void>
}
