/** Returns the task queue of another service; `ownQueue` (`<prefix>/<service>`) is the caller's. */
export function siblingQueue(ownQueue: string, service: string): string {
  return `${ownQueue.slice(0, ownQueue.lastIndexOf('/'))}/${service}`
}
