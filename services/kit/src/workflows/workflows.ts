/** Starts Temporal workflows. */
export interface Workflows {
  /**
   * Starts a workflow, or signals the running one with this ID to check for work again. Throws
   * unavailable while Temporal is down.
   */
  start: (workflow: WorkflowStart) => Promise<void>
}

export interface WorkflowStart {
  /** Name of the exported workflow function. */
  type: string
  /** Workflow ID: one for each object, so that a second start joins the running workflow. */
  id: string
  /** Only IDs, cursors and counts, because the data is in tables. */
  args: unknown[]
}

export interface WorkflowSchedule extends WorkflowStart {
  /** Cron expression of five fields, in UTC. */
  cron: string
  /**
   * Revision of its definition, 1 by default: processes of an older release keep a higher revision.
   */
  revision?: number
}
