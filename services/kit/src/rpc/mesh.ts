import type { DescService } from '@bufbuild/protobuf'
import type { Client } from '@connectrpc/connect'

/** Clients of all services of a deployment, in this process or elsewhere. */
export interface Mesh extends Disposable {
  /**
   * Returns a client of an RPC service in the service `name` (`ledger`). Throws unavailable without
   * a URL.
   */
  client: <Service extends DescService>(name: string, service: Service) => Client<Service>
}
