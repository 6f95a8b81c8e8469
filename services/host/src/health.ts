import { setTimeout as sleep } from 'node:timers/promises'
import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import type { Database } from '@coffer/kit/database/database'
import { notFound, unavailable } from '@coffer/kit/rpc/errors'
import { Health, HealthCheckResponse_ServingStatus as Status } from '@coffer/proto/grpc/health'
import { ServiceHealthService } from '@coffer/proto/health/v1/service_health'
import type { ConnectRouter } from '@connectrpc/connect'

const watchMs = 1_000

export interface HealthOptions {
  /** Full names of the RPC services of this process; an empty name stands for the process. */
  services: string[]
  isReady: () => Promise<boolean>
  /** Ends streaming health checks (Watch), which would otherwise block the shutdown. */
  ending: AbortSignal
}

/**
 * Registers the gRPC health service (grpc.health.v1). Each RPC service is SERVING while the process
 * is ready.
 */
export function healthRoutes(router: ConnectRouter, options: HealthOptions): void {
  const names = ['', ...options.services]
  router.service(Health, {
    check: async ({ service }) => {
      if (!names.includes(service)) throw notFound('service')
      return statusNow(options)
    },
    list: async () => {
      const status = await statusNow(options)
      return { statuses: Object.fromEntries(names.map((name) => [name, status])) }
    },
    watch: ({ service }, { signal }) => watch(options, names.includes(service), signal),
  })
}

type Checked = Pick<Database, 'isHealthy' | 'now'>

/**
 * Creates the routes of ServiceHealthService, which reports to other processes whether the database
 * of a hosted service answers, and the database's time.
 */
export function serviceHealthRoutes(databases: Record<string, Checked>) {
  return (router: ConnectRouter): void => {
    router.service(ServiceHealthService, {
      checkServiceHealth: async ({ service }) => {
        const database = databases[service]
        if (!database) throw unavailable(`${service} is not here`)
        if (!(await database.isHealthy())) return { isDatabaseHealthy: false }
        const databaseTime = timestampFromDate(await database.now())
        return { isDatabaseHealthy: true, databaseTime }
      },
    })
  }
}

async function* watch(
  options: HealthOptions,
  isKnown: boolean,
  signal: AbortSignal,
): AsyncGenerator<{ status: Status }> {
  const over = AbortSignal.any([signal, options.ending])
  let last: Status | undefined
  for (;;) {
    const { status } = isKnown ? await statusNow(options) : { status: Status.SERVICE_UNKNOWN }
    if (status !== last) yield { status }
    last = status
    if (over.aborted) return
    await sleep(watchMs, undefined, { signal: over }).catch(() => undefined)
  }
}

async function statusNow({ isReady }: HealthOptions): Promise<{ status: Status }> {
  return { status: (await isReady()) ? Status.SERVING : Status.NOT_SERVING }
}
