import { readFile } from 'node:fs/promises'
import { requestByOperator } from '@coffer/aggregator-sync/syncs/operator.service'
import { type Booted, eventually } from '@coffer/host/testing/boot'
import { workflowTypes } from '@coffer/host/testing/histories'
import { type Coffer, startCoffer } from '../harness/coffer.ts'
import type { Json, Person } from '../harness/person.ts'
import { signMapping } from '../harness/sign-mapping.ts'
import { createFullAccount, fullSettings } from '../mesh/full-account.ts'
import { aggregatorSettings, linkAggregator } from '../providers/linked-aggregator.ts'
import { linkFeed } from '../providers/linked-feed.ts'
import { feedAccount, startLunchFlow } from '../providers/lunch-flow.ts'
import { startPlaid } from '../providers/plaid/plaid.ts'
import { startMailSink } from '../providers/smtp.ts'
import { startStripe } from '../providers/stripe.ts'

/** Types that a schedule starts. All others start with the work of a user. */
const scheduled =
  /^(advance|compare|check|cleanUpFeed|find|finish\w+Links$|reconcile|remind|start|sweep)/

/**
 * Lets every workflow type run to its end at least once: a user's work first, then every scheduled
 * workflow, then deletions. Returns the services, whose Temporal has the runs.
 */
export async function runEveryWorkflow(): Promise<Coffer> {
  await using opening = new AsyncDisposableStack()
  const stripe = opening.use(await startStripe())
  const sink = opening.use(await startMailSink())
  const feed = opening.use(await startLunchFlow())
  const plaid = opening.use(await startPlaid())
  const coffer = opening.use(
    await startCoffer({
      ...stripe.settings,
      ...fullSettings,
      ...aggregatorSettings(plaid),
      COFFER_FEED_ALLOWED_URLS: `${fullSettings.COFFER_FEED_ALLOWED_URLS},${feed.url}`,
      COFFER_SMTP_URL: sink.url,
      COFFER_SMTP_TLS: 'none',
    }),
  )
  const person = await createFullAccount(coffer, stripe)
  await person.call('POST', '/authentication/forgot', { body: { email: person.email } })
  await previewCsv(person)
  await runRules(coffer, person)
  const date = new Date().toISOString().slice(0, 10)
  feed.accounts.push(feedAccount('1'))
  feed.bank('1').post({ date, amount: '-1', merchant: 'Tea' })
  const linked = await linkFeed(person, feed, '1')
  const { linkId, item } = await linkAggregator(person, plaid)
  item.bank(item.accounts()[0]?.account_id ?? '').post({ date, amount: '1', name: 'Tea' })
  await person.post('/feed/link/sync', { linkId: linked.linkId })
  await completed(coffer, `feed-sync/${linked.linkId}`)
  await completed(coffer, `aggregator-link/${linkId}`)
  await requestByOperator(coffer.booted.database('aggregator-sync'), linkId, new Date())
  await completed(coffer, `aggregator-sync/${linkId}`)
  await failWebhook(coffer, person)
  for (const type of workflowTypes().filter((one) => scheduled.test(one))) await run(coffer, type)
  for (const one of [linkId, linked.linkId]) {
    await person.call('DELETE', `/links/${one}`)
    await completed(coffer, `link-clean-up/${one}`)
  }
  const moved = { timezone: 'Europe/Berlin', currentPassword: person.password }
  await person.call('PUT', '/users/me/timezone', { asSession: true, body: moved })
  await completed(coffer, `change-timezone/${person.accountId}`)
  await deleteAccount(coffer, person)
  const stack = opening.move()
  return { ...coffer, [Symbol.asyncDispose]: () => stack.disposeAsync() }
}

/** Hands in a CSV file and maps its columns, which starts the preview. */
async function previewCsv(person: Person): Promise<void> {
  const { path } = await person.createBankAccount(0)
  const content = await readFile(new URL('../data/sign.csv', import.meta.url), 'utf8')
  const form = new FormData()
  form.set('data', new File([content], 'june.csv', { type: 'text/csv' }))
  const { body } = await person.call('POST', `${path}/transactions/import`, { form })
  const { transactionImportMappingId } = await person.post('/mappings', signMapping(body.headers))
  const url = `${path}/transactions/import/${body.transactionImportId}`
  await person.patch(url, { transactionImportMappingId, status: 'pending-preview' })
  await eventually(
    () => person.get(url),
    ({ status }: Json) => status === 'preview',
  )
}

/** Applies the rules of the account to its transactions, and undoes that. */
async function runRules(coffer: Coffer, person: Person): Promise<void> {
  const { ruleRunId } = await person.post('/rules/runs', {})
  await completed(coffer, `rule-run/${ruleRunId}`)
  await person.call('DELETE', `/rules/runs/${ruleRunId}`)
  await completed(coffer, `rule-run/${ruleRunId}/undo`)
}

/** Sends a test to a host that does not exist, and deletes the webhook after the first attempt. */
async function failWebhook(coffer: Coffer, person: Person): Promise<void> {
  const { webhookId } = await person.post('/webhooks', { url: 'https://hook.invalid/' })
  await person.post(`/webhooks/${webhookId}/ping`, {})
  await eventually(
    () => person.get(`/webhooks/${webhookId}/deliveries`),
    ({ deliveries }: Json) => deliveries[0]?.attempts === 1,
  )
  await person.call('DELETE', `/webhooks/${webhookId}`)
  await completed(coffer, `webhook/${webhookId}`)
}

/** Runs a workflow as its schedule does. */
async function run({ booted }: Coffer, type: string): Promise<void> {
  const taskQueue = `${booted.prefix}/workflows`
  const workflowId = `${taskQueue}/${type}`
  await booted.workflows.client.workflow.execute(type, { taskQueue, workflowId, args: [] })
}

/** Waits until a run of this workflow has completed, or `isReached` accepts its status. */
async function completed(
  { booted }: Coffer,
  id: string,
  isReached = (status: string): boolean => status === 'COMPLETED',
): Promise<void> {
  const status = () => statusOf(booted.workflows.client, `${booted.prefix}/workflows/${id}`)
  await eventually(status, isReached, 120_000)
}

/** Returns the status of a workflow's last run, also before it is started. */
async function statusOf({ workflow }: Booted['workflows']['client'], id: string): Promise<string> {
  try {
    return (await workflow.getHandle(id).describe()).status.name
  } catch (error) {
    return `${id}: ${error}`
  }
}

/** Deletes the account; the pause between the two passes is a second instead of 15 minutes. */
async function deleteAccount(coffer: Coffer, person: Person): Promise<void> {
  const body = { currentPassword: person.password }
  await person.call('DELETE', '/users/me', { asSession: true, body })
  const id = `delete-account/${person.accountId}`
  const { workflows, prefix } = coffer.booted
  await completed(coffer, id, (status) => status === 'RUNNING')
  await workflows.client.workflow.getHandle(`${prefix}/workflows/${id}`).terminate()
  await workflows.start({ id, type: 'deleteAccount', args: [person.accountId, 1_000] })
  await completed(coffer, id)
}
