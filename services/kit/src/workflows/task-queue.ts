import {
  type ActivityInterfaceFor,
  type ActivityOptions,
  proxyActivities,
  workflowInfo,
} from '@temporalio/workflow'

/**
 * Returns a service's activities, for use in a workflow. They run on the service's own task queue,
 * `<prefix>/<service>`; workflows of all services run on the queue `<prefix>/workflows`.
 */
export function activitiesOf<Activities>(
  service: string,
  options: ActivityOptions,
): ActivityInterfaceFor<Activities> {
  const own = workflowInfo().taskQueue
  const taskQueue = `${own.slice(0, own.lastIndexOf('/'))}/${service}`
  return proxyActivities<Activities>({ ...options, taskQueue })
}
