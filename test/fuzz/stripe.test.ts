import { createHmac } from 'node:crypto'
import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { startCoffer } from '../harness/coffer.ts'
import { startStripe } from '../providers/stripe.ts'
import { stripeMessages } from './stripe-messages.ts'

/** Of a failed run, to see the same messages again. */
const seed = Number(process.env.COFFER_TEST_SEED ?? Date.now() % 2 ** 31)

test('messages of every shape that Stripe has signed are answered without a failure', async () => {
  await using stripe = await startStripe()
  await using coffer = await startCoffer(stripe.settings)
  const hook = stripe.settings.COFFER_STRIPE_WEBHOOK_SECRET ?? ''
  const statuses = new Set<number>()
  for (const body of fc.sample(stripeMessages, { numRuns: 300, seed })) {
    const at = Math.floor(Date.now() / 1000)
    const signature = createHmac('sha256', hook).update(`${at}.${body}`).digest('hex')
    const answer = await fetch(`${coffer.baseUrl}/api/stripe/webhook`, {
      method: 'POST',
      headers: {
        'stripe-signature': `t=${at},v1=${signature}`,
        'content-type': 'application/json',
      },
      body,
      signal: AbortSignal.timeout(20_000),
    })
    statuses.add(answer.status)
    expect({ seed, body, isFault: answer.status >= 500 }).toEqual({ seed, body, isFault: false })
  }
  expect([...statuses].sort()).toEqual([200, 400])
})
