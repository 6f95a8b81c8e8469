import type { CreateRuleData, PreviewRuleResponse, Rule } from '@coffer/client/types'
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { coffer } from './client.ts'

export type { Rule }
export type Conditions = Rule['conditions']
export type Actions = Rule['actions']
export type PreviewedRule = PreviewRuleResponse
export type PreviewedRow = PreviewRuleResponse['transactions'][number]

/** Conditions and actions of a rule that need not be stored. */
export type Draft = Pick<CreateRuleData['body'], 'conditions' | 'actions'>

/** All rules in the order in which they decide. */
export const rulesQuery = queryOptions({
  queryKey: ['rules'],
  queryFn: async ({ signal }) => (await coffer.listRules({ signal })).data.rules,
})

/** The difference that a rule would make to stored transactions. */
export function rulePreviewQuery(draft: Draft) {
  return queryOptions({
    queryKey: ['rule-preview', draft],
    queryFn: async ({ signal }) => (await coffer.previewRule({ body: draft, signal })).data,
    placeholderData: keepPreviousData,
    refetchInterval: false,
  })
}

/** A transaction with who has set its fields, those of the provider aside. */
export function provenanceQuery(bankAccountId: string, transactionId: string) {
  const path = { bankAccountId, transactionId }
  return queryOptions({
    queryKey: ['transaction', bankAccountId, transactionId, 'provenance'],
    queryFn: async ({ signal }) => {
      const query = { include: 'provenance' } as const
      return (await coffer.getTransaction({ path, query, signal })).data
    },
  })
}
