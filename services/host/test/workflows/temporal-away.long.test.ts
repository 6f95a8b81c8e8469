import { startProxy } from '@coffer/kit/testing/proxy'
import { newId } from '@coffer/kit/values/id'
import { Code } from '@connectrpc/connect'
import { expect, test } from '@jest/globals'
import { createLog } from '../../src/logger.ts'
import { connectTemporal, workflowQueue } from '../../src/workflows/temporal.ts'
import { eventually } from '../../testing/boot.ts'
import { requiredVariable } from '../../testing/database.ts'

test('a process that starts while Temporal is away connects once it answers', async () => {
  const proxied = `tcp://${requiredVariable('COFFER_TEST_TEMPORAL_ADDRESS')}`
  await using proxy = await startProxy(proxied)
  proxy.cut()
  const prefix = newId('t')
  const log = createLog({ level: 'silent', name: 'test' })
  const { host: address } = new URL(proxy.url)
  await using early = connectTemporal({ address, namespace: 'default', prefix, log })
  const workflows = [new URL('../fixture/counting.workflow.ts', import.meta.url)]
  const activities = { act: async (name: string) => `${name} is done` }
  await using _worker = await early.work({ taskQueue: workflowQueue, workflows, activities, log })
  const call = { type: 'acting', id: 'early', args: ['early'] }
  early.schedule({ ...call, cron: '5 0 * * *' })
  await expect(early.start(call)).rejects.toMatchObject({ code: Code.Unavailable })
  proxy.mend()
  const id = `${prefix}/${workflowQueue}/early`
  const described = () =>
    early.client.schedule
      .getHandle(id)
      .describe()
      .catch(() => null)
  await eventually(described, (found) => (found?.info.numActionsTaken ?? 0) > 0)
  await early.start(call)
  expect(await early.client.workflow.getHandle(id).result()).toBe('early is done')
  early.unschedule('early')
  await eventually(described, (found) => found === null)
})
