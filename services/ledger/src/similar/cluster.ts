import { z } from 'zod'

/** A word of a cluster; `rank` is 0 to 1 (docs/similar-transactions.md#fields-of-a-cluster). */
export const ClusterTerm = z.object({
  word: z.string(),
  sanitized: z.string(),
  order: z.number(),
  value: z.number(),
  rank: z.number(),
  count: z.number(),
})
export type ClusterTerm = z.infer<typeof ClusterTerm>

/** Similar transactions of a bank account (docs/similar-transactions.md#fields-of-a-cluster). */
export const TransactionCluster = z.object({
  accountId: z.string(),
  bankAccountId: z.string(),
  transactionClusterId: z.string(),
  signature: z.string(),
  centroid: z.string(),
  name: z.string(),
  originalName: z.string(),
  members: z.array(z.string()),
  debug: z.array(ClusterTerm),
  merchant: z.array(ClusterTerm),
  createdAt: z.date(),
  updatedAt: z.date(),
})
export type TransactionCluster = z.infer<typeof TransactionCluster>
