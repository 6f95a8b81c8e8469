import type { Database } from '@coffer/kit/database/database'
import { unavailable } from '@coffer/kit/rpc/errors'
import { ServiceHealthService } from '@coffer/proto/health/v1/service_health'
import type { ConnectRouter } from '@connectrpc/connect'

/** Routes of ServiceHealthService, by which other processes check the hosted services. */
export function serviceHealthRoutes(databases: Record<string, Pick<Database, 'isHealthy'>>) {
  return (router: ConnectRouter): void => {
    router.service(ServiceHealthService, {
      checkServiceHealth: async ({ service }) => {
        const database = databases[service]
        if (!database) throw unavailable(`${service} is not here`)
        return { isDatabaseHealthy: await database.isHealthy() }
      },
    })
  }
}
