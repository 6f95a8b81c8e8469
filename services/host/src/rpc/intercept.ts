import type { DescService } from '@bufbuild/protobuf'
import type { ConnectRouter, Interceptor } from '@connectrpc/connect'

/** Adds RPC handlers to a Connect router. */
export type Routes = (router: ConnectRouter) => void

/** Adds interceptors to these routes only, not to others on the same router. */
export function intercepted(routes: Routes, interceptors: Interceptor[]): Routes {
  return (router) =>
    routes(
      intercept(router, (service, implementation) => {
        router.service(service, implementation, { interceptors })
      }),
    )
}

/** Returns a router that calls `register` for each RPC service that routes add to it. */
export function intercept(
  router: ConnectRouter,
  register: (service: DescService, implementation: never) => void,
): ConnectRouter {
  const altered = Object.create(router, {
    service: {
      value: (service: DescService, implementation: never) => {
        register(service, implementation)
        return altered
      },
    },
  }) as ConnectRouter
  return altered
}
