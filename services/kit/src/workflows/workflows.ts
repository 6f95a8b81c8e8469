/** Starts workflows of the deployment. */
export interface Workflows {
  /**
   * Starts the workflow of that ID, or signals the running one, so that no trigger is lost. Throws
   * unavailable while Temporal is away.
   */
  start: (workflow: WorkflowStart) => Promise<void>
}

/** The workflow to start. */
export interface WorkflowStart {
  /** Name of the exported workflow function. */
  type: string
  /** Natural key: starting twice joins the running workflow. */
  id: string
  taskQueue: string
  /** IDs, cursors and counts only: no money, no dates, no pages of rows. */
  args: unknown[]
}

export interface WorkflowSchedule extends WorkflowStart {
  /** Cron expression of five fields, in UTC. */
  cron: string
}
