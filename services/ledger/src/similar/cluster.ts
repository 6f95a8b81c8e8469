import { z } from 'zod'

/**
 * A word of a cluster (docs/similar-transactions.md#fields-of-a-cluster). `word` is its spelling,
 * `sanitized` the compared word, `order` its mean position in a text. `value` is the sum over the
 * `count` members that have it, `rank` its weight from 0 to 1.
 */
export const ClusterTerm = z.object({
  word: z.string(),
  sanitized: z.string(),
  order: z.number(),
  value: z.number(),
  rank: z.number(),
  count: z.number(),
})
export type ClusterTerm = z.infer<typeof ClusterTerm>

/** Transactions of one bank account whose texts are alike; `members` newest first. */
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
