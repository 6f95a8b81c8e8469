import { eventually } from '@coffer/host/testing/boot'
import { newId } from '@coffer/kit/values/id'
import { freePorts } from '@coffer/local/ports'
import { expect, test } from '@jest/globals'
import { attempt, streamOf } from './nats-attempt.ts'
import { startOwnNats } from './servers.ts'

test('a stream in a cluster gets more copies, and a process with fewer keeps them', async () => {
  const ports = await freePorts(6)
  const names = ['one', 'two', 'three']
  const routes = ports.slice(3).map((at) => `"nats://127.0.0.1:${at}"`)
  const lines = names.map((_, index) => {
    const listen = `listen: "127.0.0.1:${ports[index + 3]}"`
    return `cluster { name: coffer, ${listen}, routes: [${routes.join(', ')}] }`
  })
  await using servers = new AsyncDisposableStack()
  const started = await Promise.all(
    names.map((name, index) => startOwnNats(name, ports[index] ?? 0, lines[index] ?? '')),
  )
  for (const server of started) servers.use(server)
  const url = ports
    .slice(0, 3)
    .map((at) => `127.0.0.1:${at}`)
    .join(',')
  const prefix = newId('t')
  await using single = await attempt({ url }, 1, prefix)
  await eventually(async () => single.hasConnected(), Boolean)
  expect((await streamOf(single)).config.num_replicas).toBe(1)
  await using triple = await attempt({ url }, 3, prefix)
  expect((await streamOf(triple)).config.num_replicas).toBe(3)
  await using late = await attempt({ url }, 1, prefix)
  expect((await streamOf(late)).config.num_replicas).toBe(3)
  const isCopied = async () => {
    const { cluster } = await streamOf(late)
    return cluster?.replicas?.length === 2 && cluster.replicas.every(({ current }) => current)
  }
  expect(await eventually(() => isCopied(), Boolean)).toBe(true)
})
