import { create } from '@bufbuild/protobuf'
import { notFound } from '@coffer/kit/rpc/errors'
import { toMessage } from '@coffer/kit/rpc/message'
import { callerOf } from '@coffer/kit/rpc/rpc'
import type { ServiceDeps } from '@coffer/kit/service/service'
import {
  ClusterTermSchema,
  type SimilarService,
  TransactionClusterSchema,
} from '@coffer/proto/ledger/v1/similar'
import type { ServiceImpl } from '@connectrpc/connect'
import { findCluster } from './cluster.sql.ts'
import type { ClusterTerm, TransactionCluster } from './cluster.ts'

/** Returns the RPC handler that finds a transaction's cluster (docs/similar-transactions.md). */
export function similarRoutes({
  database,
}: Pick<ServiceDeps, 'database'>): ServiceImpl<typeof SimilarService> {
  return {
    getCluster: async (request, context) => {
      const cluster = await findCluster(database, callerOf(context).accountId, request)
      if (cluster === null) throw notFound('transaction')
      return cluster ? { cluster: renderCluster(cluster) } : {}
    },
  }
}

function renderCluster(cluster: TransactionCluster) {
  const debug = cluster.debug.map(renderTerm)
  const merchant = cluster.merchant.map(renderTerm)
  return toMessage(TransactionClusterSchema, { ...cluster, debug, merchant })
}

// In the REST API `order` and `rank` are integers: `order` is rounded, `rank` becomes thousandths.
function renderTerm(term: ClusterTerm) {
  const order = Math.round(term.order)
  const rank = Math.round(term.rank * 1000)
  return create(ClusterTermSchema, { ...term, order, rank })
}
