import type { MessageInitShape } from '@bufbuild/protobuf'
import { type Booted, eventually } from '@coffer/host/testing/boot'
import { type CreateRuleRequestSchema, RuleService } from '@coffer/proto/ledger/v1/rule'
import { RuleRunService } from '@coffer/proto/ledger/v1/rule_run'
import type { CallOptions } from '@connectrpc/connect'

export const deli = { originalName: { kind: 'contains', text: 'deli' } }

export type Parts = Omit<MessageInitShape<typeof CreateRuleRequestSchema>, '$typeName'>

/** Returns a function to the client of an account's rules, and to one that creates rules. */
export function rulingOf(booted: Booted) {
  return ({ as }: { as: CallOptions }) => {
    const client = booted.client('ledger', RuleService)
    const write = async (...rules: Parts[]) => {
      const ids: string[] = []
      for (const parts of rules) {
        const { rule } = await client.createRule({ name: 'Rule', conditions: deli, ...parts }, as)
        ids.push(rule?.ruleId ?? '')
      }
      return ids
    }
    const order = async () => (await client.listRules({}, as)).rules.map(({ ruleId }) => ruleId)
    return { client, write, order }
  }
}

/** Returns a function to the calls of an account to its runs. */
export function runningOf(booted: Booted) {
  return ({ as }: { as: CallOptions }) => {
    const client = booted.client('ledger', RuleRunService)
    const ended = async (ruleRunId = '') =>
      eventually(
        async () => (await client.getRuleRun({ ruleRunId }, as)).run,
        (run) => run?.status !== 'running' && run?.status !== 'undoing',
        60_000,
      )
    const start = async (request = {}) => (await client.createRuleRun(request, as)).run
    const undo = async (ruleRunId = '') => (await client.undoRuleRun({ ruleRunId }, as)).run
    return { client, ended, start, undo }
  }
}
