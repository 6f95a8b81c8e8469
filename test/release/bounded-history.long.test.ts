import { workflowTypes } from '@coffer/host/testing/histories'
import { silentLog } from '@coffer/host/testing/silent-log'
import { connectTemporal, type Temporal, workflowQueue } from '@coffer/host/workflows/temporal'
import { listWorkflows } from '@coffer/host/workflows/workflow-bundle'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { startOwnTemporal } from '../harness/own-server.ts'

// Temporal suggests to continue as new from this number of events on, 4,096 by default.
const suggestedEvents = 20
// The check follows a page of a list, all that a sync does for one bank account, or the steps of a
// deletion in all services.
const eventsMax = (type: string) => suggestedEvents + (type === 'deleteAccount' ? 140 : 40)

/** Workflows without a loop over data, with what bounds their history. */
const bounded = {
  sendMail: 'one activity',
  createCustomer: 'one activity',
  sweepPlans: 'three activities',
  reconcileSubscriptions: 'the list of 100 accounts',
}

const page = { kind: 'done', added: 1, changed: 0, matched: 0, skipped: 0, rows: 1, missing: [] }
const accounts = Array.from({ length: 6 }, (_, index) => {
  return { bankAccountId: `bac_${index}`, feedBankAccountId: `lbac_${index}`, isWhole: false }
})

/** Answers of activities while there is more to do, and after that. Others return nothing. */
const answers: Record<string, [more: unknown, end: unknown]> = {
  ...answer(['restartMails', 'restartDeletions', 'startCustomers'], ['k', null]),
  restartTimezoneChanges: ['k', null],
  ...answer(['restartImports', 'restartPreviews', 'restartCleanUps'], ['k', null]),
  ...answer(['expireFiles', 'removeLeftovers'], ['k', null]),
  ...answer(['restartSyncs', 'startDueSyncs', 'startUnfinishedLinks'], [['k'], null]),
  ...answer(['warnOfConsents', 'endLapsedLinks', 'deactivateLapsedLinks'], [['k'], null]),
  ...answer(['beginTrials', 'noteTrialsEnding', 'removeExpired', 'tellOfBilling'], [false, true]),
  ...answer(['deleteOldRows', 'removeAccountRows', 'removeLinkRows'], [false, true]),
  moveDates: [false, true],
  ...answer(['comparePage', 'clusterWaiting'], [{ k: 1 }, null]),
  startLinkCleanUps: [true, false],
  deleteAbandonedLinks: [1, 0],
  advancePage: [
    { next: ['k'], failed: 0 },
    { next: null, failed: 0 },
  ],
  importFile: ['busy', 'done'],
  previewImport: ['busy', 'done'],
  describeDeletedLink: ['manual', 'manual'],
  listLinkBankAccounts: [[], []],
  beginAggregatorSync: [null, null],
  finishLink: [null, null],
  beginFeedSync: [{ isManual: false }, null],
  syncFeedAccounts: [{ kind: 'done', accounts, leftOut: 0, today: '2026-03-01' }, null],
  importFeedPage: [{ ...page, isTooLarge: false }, null],
  syncFeedBalance: [{ kind: 'done' }, null],
  serveWebhook: [1, null],
}

const silentActivities = [
  'startImport',
  'failImport',
  'failPreview',
  'removeFile',
  'closeAccount',
  'endBilling',
  'settleDeletion',
  'movePlans',
  'completeTimezone',
  'removeUnverified',
  'endFeedAccount',
  'endFeedSync',
]

function answer(names: string[], both: [unknown, unknown]) {
  return Object.fromEntries(names.map((name) => [name, both]))
}

/** Arguments of the workflows that have some; others start without. */
const started: Record<string, unknown[]> = {
  advance: [null],
  importUpload: [{}],
  previewCsvImport: [{}],
  cleanUpLink: [{ accountId: 'a', linkId: 'l' }],
  deleteAccount: ['a', 1],
  changeTimezone: ['a'],
  syncAggregatorLink: [{ accountId: 'a', linkId: 'l' }],
  finishAggregatorLink: [{ accountId: 'a', linkId: 'l' }],
  syncFeedLink: [{ accountId: 'a', linkId: 'l', feedLinkId: 'f' }],
  retryWebhook: [{ accountId: 'a', webhookId: 'h' }],
}
/** Activities during which their workflow is started again, as by another request. */
const triggered: Record<string, string> = {
  beginAggregatorSync: 'syncAggregatorLink',
  finishLink: 'finishAggregatorLink',
}

const services = ['identity', 'ledger', 'budgeting', 'aggregator-sync', 'feed-sync', 'notices']
const moreCalls = 6
const calls: { name: string; of: unknown }[] = []
const stack = new AsyncDisposableStack()
let temporal: Temporal

beforeAll(async () => {
  const setting = `limit.historyCount.suggestContinueAsNew=${suggestedEvents}`
  const { url: address } = stack.use(await startOwnTemporal([setting]))
  const options = { address, namespace: 'default', prefix: 't', log: silentLog }
  temporal = stack.use(connectTemporal(options))
  for (const taskQueue of services) {
    const activities = activitiesOf()
    stack.use(await temporal.work({ taskQueue, workflows: [], activities, log: silentLog }))
  }
  const workflows = listWorkflows()
  const all = { taskQueue: workflowQueue, workflows, activities: {}, log: silentLog }
  stack.use(await temporal.work(all))
})

afterAll(() => stack.disposeAsync())

/** Returns all activities of a service: each has more to do for six calls. */
function activitiesOf() {
  const names = [...Object.keys(answers), ...silentActivities]
  return Object.fromEntries(
    names.map((name) => {
      let left = name === 'beginFeedSync' ? 1 : moreCalls
      const act = async (of: unknown) => {
        calls.push({ name, of })
        const type = triggered[name]
        left -= 1
        if (type && left >= 0) await start(type)
        return answers[name]?.[left >= 0 ? 0 : 1]
      }
      return [name, act]
    }),
  )
}

const start = (type: string) => temporal.start({ type, id: type, args: started[type] ?? [] })

/** Returns the number of events of each run of a workflow, the last run first. */
async function eventsOfRuns(type: string): Promise<number[]> {
  const id = `t/${workflowQueue}/${type}`
  await temporal.client.workflow.getHandle(id).result()
  const counts: number[] = []
  let runId: string | null | undefined = (await temporal.client.workflow.getHandle(id).describe())
    .runId
  while (runId) {
    const { events } = await temporal.client.workflow.getHandle(id, runId).fetchHistory()
    counts.push(events?.length ?? 0)
    runId = events?.[0]?.workflowExecutionStartedEventAttributes?.continuedExecutionRunId
  }
  return counts
}

const looping = workflowTypes().filter((type) => !(type in bounded))

test('every workflow that loops goes on in a new run after a bounded history', async () => {
  const found = looping.map(async (type) => {
    await start(type)
    return [type, await eventsOfRuns(type)] as const
  })
  const wrong = (await Promise.all(found)).filter(([type, events]) => {
    return events.length < 2 || events.some((count) => count > eventsMax(type))
  })
  expect(wrong).toEqual([])
})

test('a sync of a feed goes on with the bank accounts that are left, and ends once', () => {
  const of = (name: string) => calls.filter((call) => call.name === name).map((call) => call.of)
  const synced = of('importFeedPage') as { bankAccountId: string; runId: string }[]
  expect(synced.map(({ bankAccountId }) => bankAccountId)).toEqual(
    accounts.map(({ bankAccountId }) => bankAccountId),
  )
  const [{ runId } = { runId: '' }] = of('beginFeedSync') as { runId: string }[]
  expect(of('endFeedSync')).toEqual([
    expect.objectContaining({
      runId,
      outcome: { kind: 'complete', tally: expect.objectContaining({ added: accounts.length }) },
      unended: [],
    }),
  ])
})

test('workflows without a loop over data are known', () => {
  expect(workflowTypes()).toEqual(expect.arrayContaining(Object.keys(bounded)))
})
