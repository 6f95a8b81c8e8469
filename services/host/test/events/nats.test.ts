import { startProxy } from '@coffer/kit/testing/proxy'
import { newId } from '@coffer/kit/values/id'
import { expect, test } from '@jest/globals'
import { jetstreamManager } from '@nats-io/jetstream'
import { connectBroker } from '../../src/events/nats.ts'
import { eventually } from '../../testing/boot.ts'
import { requiredVariable } from '../../testing/database.ts'
import { silentLog } from '../../testing/silent-log.ts'

const url = () => requiredVariable('COFFER_TEST_NATS_URL')
const serviceNames = ['identity']

test('a connection whose server is gone can still be closed', async () => {
  await using proxy = await startProxy(url())
  const prefix = newId('t')
  await using keeper = await connectBroker({ url: url(), prefix, serviceNames, log: silentLog })
  const broker = await connectBroker({ url: proxy.url, prefix, serviceNames, log: silentLog })
  proxy.cut()
  await broker[Symbol.asyncDispose]()
  expect(broker.connection.isClosed()).toBe(true)
  const manager = await jetstreamManager(keeper.connection)
  await manager.streams.delete(keeper.streamName)
})

test('the stream is created again on a server that has lost it', async () => {
  await using proxy = await startProxy(url())
  const prefix = newId('t')
  await using broker = await connectBroker({ url: proxy.url, prefix, serviceNames, log: silentLog })
  await using watcher = await connectBroker({ url: url(), prefix, serviceNames, log: silentLog })
  const manager = await jetstreamManager(watcher.connection)
  await manager.streams.delete(broker.streamName)
  proxy.cut()
  proxy.mend()
  const names = await eventually(
    async () =>
      (
        await manager.streams
          .names()
          .next()
          .catch(() => [])
      ).join(),
    (found) => found.includes(broker.streamName),
  )
  expect(names).toContain(broker.streamName)
  await manager.streams.delete(broker.streamName)
})

test('each service has a subject space, and dead letters have their own', async () => {
  const names = ['identity', 'feed-sync']
  await using broker = await connectBroker({
    url: url(),
    prefix: newId('t'),
    serviceNames: names,
    log: silentLog,
  })
  const manager = await jetstreamManager(broker.connection)
  const { config } = await manager.streams.info(broker.streamName)
  const spaces = ['identity.>', 'feedsync.>', 'dead.>'].map(broker.subject)
  expect(config.subjects?.sort()).toEqual(spaces.sort())
  await manager.streams.delete(broker.streamName)
})
