import { started } from '@coffer/host/testing/started'
import { newId } from '@coffer/kit/values/id'
import { expect, test } from '@jest/globals'
import { sql } from 'slonik'
import { deleteOld } from '../src/deliveries/delivery.sql.ts'
import { bootWebhooks } from './webhooks.ts'

const booted = started(() => bootWebhooks())

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
