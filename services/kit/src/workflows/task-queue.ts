/**
 * The task queue of another service in the same deployment, seen from a workflow that runs on
 * `ownQueue` (`<prefix>/<service>`).
 */
export function siblingQueue(ownQueue: string, service: string): string {
  return `${ownQueue.slice(0, ownQueue.lastIndexOf('/'))}/${service}`
}
