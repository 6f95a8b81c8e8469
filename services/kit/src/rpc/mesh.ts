import type { DescService } from '@bufbuild/protobuf'
import type { Client } from '@connectrpc/connect'

/** Clients of all services of a deployment, whether they run in this process or in others. */
export interface Mesh extends Disposable {
  /**
   * Returns a client of an RPC service that service `name` (such as `ledger`) provides. Throws
   * unavailable if that service is neither in this process nor has a URL.
   */
  client: <Service extends DescService>(name: string, service: Service) => Client<Service>
}
