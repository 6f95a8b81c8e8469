import type {
  CreateRuleData,
  PreviewRuleResponse,
  Rule,
  RuleRun,
  RuleSuggestion,
} from '@coffer/client/types'
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { runWords } from '../words/rule-runs.ts'
import { ruleWords } from '../words/rules.ts'
import { coffer } from './client.ts'
import { showNote } from './notes.ts'

export type { Rule, RuleRun, RuleSuggestion }
export type Conditions = Rule['conditions']
export type Actions = Rule['actions']
export type PreviewedRule = PreviewRuleResponse
export type PreviewedRow = PreviewRuleResponse['transactions'][number]

/** Conditions and actions of a rule that may not be stored yet. */
export type Draft = Pick<CreateRuleData['body'], 'conditions' | 'actions'>

/** Maximum number of rules of an account. As a position, it places a rule after all others. */
export const rulesMax = 500

/** All rules in the order in which they are applied. */
export const rulesQuery = queryOptions({
  queryKey: ['rules'],
  queryFn: async ({ signal }) => (await coffer.listRules({ signal })).data.rules,
})

/** Limits the transactions to which a run or a preview applies rules. */
export type RuleScope = { bankAccountId?: string; from?: string; to?: string }

/**
 * Input of a preview: a new rule at a position, the change of the stored rule `ruleId`, or without
 * conditions and actions all stored rules.
 */
export type Previewed = Partial<Draft> & RuleScope & { position?: number; ruleId?: string }

/** Preview: the changes that one rule, or all of them, would make to stored transactions. */
export function rulePreviewQuery(draft: Previewed) {
  return queryOptions({
    queryKey: ['rule-preview', draft],
    queryFn: async ({ signal }) => (await coffer.previewRule({ body: draft, signal })).data,
    placeholderData: keepPreviousData,
    refetchInterval: false,
  })
}

/** A transaction with its provenance: who set which field, except fields that the provider set. */
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

/** The newest 10 runs of rules in the last 30 days; refetched often while one is in progress. */
export const ruleRunsQuery = queryOptions({
  queryKey: ['rule-runs'],
  queryFn: async ({ signal }) => (await coffer.listRuleRuns({ query: { limit: 10 }, signal })).data,
  refetchInterval: ({ state }) => (state.data?.some(isMoving) ? workingMs : restingMs),
})

const workingMs = 700
const restingMs = 15_000

/** Returns whether a run of rules, or its undo, is in progress. */
export function isMoving({ status }: Pick<RuleRun, 'status'>): boolean {
  return status === 'running' || status === 'undoing'
}

/** Suggested rules, those that change the most transactions first. */
export const ruleSuggestionsQuery = queryOptions({
  queryKey: ['rule-suggestions'],
  queryFn: async ({ signal }) => (await coffer.listRuleSuggestions({ signal })).data.suggestions,
})

/** The rule that is suggested for a transaction and similar ones; null without one. */
export function ruleSuggestionQuery(bankAccountId: string, transactionId: string) {
  const path = { bankAccountId, transactionId }
  return queryOptions({
    queryKey: ['rule-suggestion', bankAccountId, transactionId],
    queryFn: async ({ signal }) => (await coffer.getRuleSuggestion({ path, signal })).data || null,
  })
}

/** Shows the note that a rule is stored, with an action that applies it to stored transactions. */
export function noteRule(ruleId: string): void {
  const work = () => coffer.createRuleRun({ body: { ruleIds: [ruleId] } })
  showNote({ text: ruleWords.saved, act: { text: runWords.applyThis, work } })
}
