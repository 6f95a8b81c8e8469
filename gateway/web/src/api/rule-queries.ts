import type { CreateRuleData, PreviewRuleResponse, Rule, RuleRun } from '@coffer/client/types'
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { coffer } from './client.ts'

export type { Rule, RuleRun }
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

/** Runs of the last 30 days, newest first, 10 at most; asked for often while one goes on. */
export const ruleRunsQuery = queryOptions({
  queryKey: ['rule-runs'],
  queryFn: async ({ signal }) => (await coffer.listRuleRuns({ query: { limit: 10 }, signal })).data,
  refetchInterval: ({ state }) => (state.data?.some(isMoving) ? workingMs : restingMs),
})

const workingMs = 700
const restingMs = 15_000

/** Returns whether a run or its undo goes on. */
export function isMoving({ status }: Pick<RuleRun, 'status'>): boolean {
  return status === 'running' || status === 'undoing'
}
