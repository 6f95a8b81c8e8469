import { toRest } from '@coffer/kit/rpc/message'
import { SimilarService, TransactionClusterSchema } from '@coffer/proto/ledger/v1/similar'
import type { RouteDeps } from '../../deps.ts'
import { type Route, route } from '../../http/route.ts'

/** Routes of clusters: transactions with similar texts (docs/similar-transactions.md). */
export function similarRoutes({ mesh }: RouteDeps): Route[] {
  const similar = mesh.client('ledger', SimilarService)
  return [
    route({
      method: 'GET',
      path: '/api/bank_accounts/:bankAccountId/transactions/:transactionId/similar',
      summary: 'The cluster of similar transactions; 204 without one',
      auth: 'key',
      answer: TransactionClusterSchema,
      handler: async ({ params, options, reply }) => {
        const { cluster } = await similar.getCluster(params, options)
        if (cluster) return toRest(TransactionClusterSchema, cluster)
        reply.code(204)
      },
    }),
  ]
}
