/** Starts workflows of the deployment. */
export interface Workflows {
  /**
   * Starts the workflow with this ID, or signals the running one, so that no trigger is lost.
   * Throws unavailable while Temporal is away.
   */
  start: (workflow: WorkflowStart) => Promise<void>
}

/** The workflow to start. */
export interface WorkflowStart {
  /** Name of the exported workflow function. */
  type: string
  /** Natural key: a second start joins the running workflow. */
  id: string
  taskQueue: string
  /** Only IDs, cursors and counts: the tables hold the data. */
  args: unknown[]
}

export interface WorkflowSchedule extends WorkflowStart {
  /** Cron expression of five fields, in UTC. */
  cron: string
}
