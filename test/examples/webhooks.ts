import type { Json } from '../harness/person.ts'
import { until } from './recorder.ts'
import type { Ada } from './sign-in.ts'
import { start, type World } from './world.ts'

/** Creates a webhook, sends a test, changes the secret, sends again, and deletes the webhook. */
export async function webhooks(
  { receiver, recorder }: World,
  { key, headers }: Ada,
): Promise<void> {
  const { body: created } = await key('POST', '/webhooks', {
    body: {
      url: receiver.url,
      types: ['transaction.created', 'transaction.updated'],
      description: 'Kitchen display',
    },
  })
  const path = `/webhooks/${created.webhookId}`
  const isSent = ({ deliveries }: Json) => deliveries[0]?.status === 'delivered'
  await key('POST', `${path}/ping`)
  await until(key, `${path}/deliveries`, isSent)
  const { body: listed } = await key('GET', `${path}/deliveries?status=delivered`)
  const delivery = `${path}/deliveries/${listed.deliveries[0].deliveryId}`
  await key('GET', delivery)
  const unknown = 'dlv_00000000000000000000000000'
  await recorder.refuse(404, 'GET', `${path}/deliveries/${unknown}`, {
    headers,
    name: 'delivery',
    summary: 'No delivery of the webhook has the ID, or it is older than 30 days',
  })
  await recorder.refuse(400, 'GET', `${path}/deliveries/42`, {
    headers,
    name: 'deliveryId',
    summary: 'An ID that is not well-formed',
  })
  await key('POST', `${delivery}/resend`)
  await until(key, `${path}/deliveries`, isSent)
  await key('POST', `${path}/resend`, { body: { since: start.toISOString() } })
  await key('POST', `${path}/secret`, { body: { formerEndsAt: '2026-03-04T06:00:00Z' } })
  await key('DELETE', `${path}/secret/former`)
  await key('PATCH', path, { body: { isEnabled: false } })
  await key('GET', path)
  await key('GET', '/webhooks')
  await key('DELETE', path)
}
