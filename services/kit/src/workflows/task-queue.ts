/**
 * Task queue of another service of the deployment. `ownQueue` is the queue of the calling workflow
 * (`<prefix>/<service>`).
 */
export function siblingQueue(ownQueue: string, service: string): string {
  return `${ownQueue.slice(0, ownQueue.lastIndexOf('/'))}/${service}`
}
