import type { DescService } from '@bufbuild/protobuf'
import { type ConnectRouter, createConnectRouter, type Interceptor } from '@connectrpc/connect'

/** Registers RPC services on a router. */
export type Routes = (router: ConnectRouter) => void

/** Adds interceptors to routes; other routes of the same router are not affected. */
export function intercepted(routes: Routes, interceptors: Interceptor[]): Routes {
  return (router) =>
    routes(
      intercept(router, (service, implementation) => {
        router.service(service, implementation, { interceptors })
      }),
    )
}

/** Lists the descriptors of the RPC services that routes register. */
export function servicesOf(routes: Routes): DescService[] {
  const services: DescService[] = []
  routes(intercept(createConnectRouter(), (service) => services.push(service)))
  return services
}

/** Returns a router with another `service` method. */
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
