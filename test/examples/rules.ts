import { until } from './recorder.ts'
import type { Ada } from './sign-in.ts'

/** Creates a rule for the rows of a file that is imported next, with every condition. */
export async function ruleForFile(key: Ada['key'], path: string): Promise<void> {
  await key('POST', '/rules', {
    body: {
      name: 'Electricity',
      conditions: {
        originalName: { kind: 'pattern', text: '*power*light*' },
        originalMerchantName: { kind: 'startsWith', text: 'power' },
        amountFrom: 1_000,
        amountTo: 20_000,
        direction: 'out',
        bankAccountId: path.split('/')[2],
        source: 'upload',
        isPending: false,
        dayFrom: 25,
        dayTo: 5,
      },
      actions: { name: 'Electricity', merchantName: 'Power and Light', tags: ['home'] },
    },
    name: 'allConditions',
    summary: 'Every condition; days go over the end of the month',
  })
}

/** Reads a transaction of the file with its provenance. */
export async function readsProvenance(key: Ada['key'], path: string): Promise<void> {
  const url = `${path}/transactions?tag=home`
  const { body } = await key('GET', url, { isShown: false })
  const { transactionId } = body[0]
  await key('POST', '/rules/preview', {
    body: {
      conditions: { originalName: { kind: 'contains', text: 'power' } },
      actions: { name: 'Power', tags: ['home', 'bills'] },
      position: 500,
    },
  })
  await key('POST', '/rules/preview', {
    body: {},
    name: 'allRules',
    summary: 'All rules of the account in their order',
  })
  await key('PATCH', `${path}/transactions/${transactionId}`, {
    body: { notes: 'February' },
    isShown: false,
  })
  await key('GET', `${path}/transactions/${transactionId}?include=provenance`, {
    name: 'provenance',
    summary: 'Which rule has set its fields',
  })
}

/** Creates two rules, changes their order and one of them, and deletes it. */
export async function rules(
  { key }: Pick<Ada, 'key'>,
  { spendingId, bankAccountId }: { spendingId: string; bankAccountId: string | undefined },
): Promise<void> {
  const { body: hostel } = await key('POST', '/rules', {
    body: {
      name: 'Hostels of the trip',
      conditions: { originalName: { kind: 'contains', text: 'hostel' }, direction: 'out' },
      actions: { name: 'Hostel', tags: ['Oslo'], spendingId, refundSpendingId: spendingId },
    },
  })
  const { body: tools } = await key('POST', '/rules', {
    body: {
      name: 'Salary',
      conditions: {
        originalName: { kind: 'pattern', text: 'northfield*payroll*' },
        direction: 'in',
        amountFrom: 200_000,
      },
      actions: { name: 'Salary', notes: 'Northfield Tools' },
    },
    isShown: false,
  })
  await key('PUT', '/rules/order', { body: { ruleIds: [tools.ruleId, hostel.ruleId] } })
  await key('GET', '/rules')
  await key('GET', `/rules/${hostel.ruleId}`)
  const { body: run } = await key('POST', '/rules/runs', {
    body: { ruleIds: [hostel.ruleId], bankAccountId, from: '2026-01-01', to: '2026-06-30' },
  })
  const ended = ({ status }: { status: string }) => status !== 'running' && status !== 'undoing'
  await until(key, `/rules/runs/${run.ruleRunId}`, ended)
  await key('GET', `/rules/runs/${run.ruleRunId}`)
  await key('GET', '/rules/runs')
  await key('DELETE', `/rules/runs/${run.ruleRunId}`)
  await until(key, `/rules/runs/${run.ruleRunId}`, ended)
  const { conditions, actions } = hostel
  await key('POST', '/rules/preview', {
    body: { ruleId: hostel.ruleId, conditions, actions: { ...actions, name: 'Hostels' } },
    name: 'changedRule',
    summary: 'A change of a stored rule, at its position',
  })
  await key('PATCH', `/rules/${tools.ruleId}`, { body: { actions: { tags: ['salary'] } } })
  await key('DELETE', `/rules/${tools.ruleId}`)
}

/** Reads, changes and answers the rules that imported payments suggest. */
export async function suggestedRules(key: Ada['key'], path: string): Promise<void> {
  const { body } = await key('GET', '/rules/suggestions')
  const [first, second] = body.suggestions
  const [{ transactionId }] = first.untouched
  await key('GET', `${path}/transactions/${transactionId}/rule_suggestion`)
  await key('POST', `/rules/suggestions/${first.ruleSuggestionId}/accept`, {
    body: { name: 'Coffee', actions: { name: 'Cafe Elan', tags: ['coffee'] } },
  })
  await key('POST', `/rules/suggestions/${second.ruleSuggestionId}/dismiss`, { body: {} })
}
