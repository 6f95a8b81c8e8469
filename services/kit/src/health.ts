import { setTimeout as sleep } from 'node:timers/promises'
import { create } from '@bufbuild/protobuf'
import {
  Health,
  HealthCheckResponse_ServingStatus,
  HealthCheckResponseSchema,
} from '@coffer/proto/grpc/health'
import type { ConnectRouter } from '@connectrpc/connect'

const watchMs = 1_000

/** The gRPC health service (grpc.health.v1): serving while every hosted database answers. */
export function healthRoutes(router: ConnectRouter, isHealthy: () => Promise<boolean>): void {
  const check = async () =>
    create(HealthCheckResponseSchema, {
      status: (await isHealthy())
        ? HealthCheckResponse_ServingStatus.SERVING
        : HealthCheckResponse_ServingStatus.NOT_SERVING,
    })
  router.service(Health, {
    check,
    list: async () => ({ statuses: { '': await check() } }),
    async *watch(_request, context) {
      let last: HealthCheckResponse_ServingStatus | undefined
      while (!context.signal.aborted) {
        const response = await check()
        if (response.status !== last) yield response
        last = response.status
        await sleep(watchMs, undefined, { signal: context.signal }).catch(() => undefined)
      }
    },
  })
}
