/** Returns another service's Temporal task queue; the caller's is `<prefix>/<service>`. */
export function siblingQueue(ownQueue: string, service: string): string {
  return `${ownQueue.slice(0, ownQueue.lastIndexOf('/'))}/${service}`
}
