import { started } from '@coffer/host/testing/started'
import { newId } from '@coffer/kit/values/id'
import { expect, test } from '@jest/globals'
import { sql } from 'slonik'
import { deleteOld } from '../src/deliveries/delivery.sql.ts'
import { webhookActivities } from '../src/deliveries/webhook.activities.ts'
import { bootWebhooks } from './webhooks.ts'

const booted = started(() => bootWebhooks())

test('an activity of a process that stops sends nothing', async () => {
  const { accountId, webhookId, append } = await booted.account()
  await append(newId('txn'))
  const before = booted.receiver.requests.length
  const run = (stopping: AbortSignal) =>
    webhookActivities({ ...booted.deps, stopping }).serveWebhook({ accountId, webhookId })
  expect(await run(AbortSignal.abort())).toBe(0)
  expect(booted.receiver.requests).toHaveLength(before)
  expect(await run(new AbortController().signal)).toBeNull()
  expect(booted.receiver.requests).toHaveLength(before + 1)
})

test('a run fails with its own error if its lease cannot be ended either', async () => {
  const { serve } = await booted.account()
  const { database } = booted.deps
  const failing = (text: string) => async () => {
    throw new Error(text)
  }
  const pool = Object.assign(Object.create(database.pool), {
    any: failing('the secrets cannot be read'),
    query: failing('the lease cannot be ended'),
  })
  await expect(serve({ ...database, pool })).rejects.toThrow('the secrets cannot be read')
})

test('old deliveries that have ended are removed behind one that waits', async () => {
  const { append, serve, deliveries, ...key } = await booted.account()
  booted.receiver.respond((response, { number }) => response.writeHead(204).end(`${number}`))
  await append(newId('txn'), newId('txn'), newId('txn'))
  await serve()
  const [, , oldest] = await deliveries()
  await booted.deps.database.pool.query(sql.unsafe`
    UPDATE webhook_deliveries SET status = 'pending'
    WHERE delivery_id = ${oldest?.deliveryId ?? ''}`)
  const old = { before: new Date(Date.now() + 1_000), limit: 2, isDeleted: false }
  expect(await deleteOld(booted.deps.database, key, old)).toBe(2)
  expect((await deliveries()).map(({ deliveryId }) => deliveryId)).toEqual([oldest?.deliveryId])
})
