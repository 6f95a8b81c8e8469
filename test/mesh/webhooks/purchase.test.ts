import { eventually } from '@coffer/host/testing/boot'
import { newId } from '@coffer/kit/values/id'
import {
  type Received,
  type Respond,
  startReceiver,
} from '@coffer/notices/testing/webhook-receiver'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { sql } from 'slonik'
import { Webhook as Library } from 'standardwebhooks'
import { type Coffer, startCoffer } from '../../harness/coffer.ts'
import type { Json, Person } from '../../harness/person.ts'
import { startMailSink } from '../../providers/smtp.ts'

const stack = new AsyncDisposableStack()
let coffer: Coffer
let receiver: Awaited<ReturnType<typeof startReceiver>>
let sink: Awaited<ReturnType<typeof startMailSink>>

beforeAll(async () => {
  receiver = stack.use(await startReceiver())
  sink = stack.use(await startMailSink())
  coffer = stack.use(
    await startCoffer({
      COFFER_SMTP_URL: sink.url,
      COFFER_SMTP_TLS: 'none',
      COFFER_EXTERNAL_URL: 'https://money.example',
      COFFER_WEBHOOK_ALLOWED_HOSTS: receiver.host,
    }),
  )
})

afterAll(async () => {
  await stack.disposeAsync()
})

const answer =
  (status: number): Respond =>
  (response) =>
    response.writeHead(status).end()

/** Registers a person with a bank account and a webhook that gets its purchases. */
async function household() {
  const person = await coffer.person()
  const { path } = await person.createBankAccount()
  const created = await person.post('/webhooks', {
    url: `${receiver.url}/${person.accountId}`,
    types: ['transaction.created'],
  })
  const buy = async (amount: number) => {
    const date = new Date().toISOString()
    const body = { name: 'Tea', amount, date, adjustsBalance: true }
    const headers = { 'x-request-id': newId('req') }
    const bought = await person.call('POST', `${path}/transactions`, { body, headers })
    return {
      transactionId: bought.body.transaction.transactionId as string,
      requestId: bought.headers.get('x-request-id'),
    }
  }
  return {
    person,
    path,
    buy,
    secret: created.secret as string,
    webhook: `/webhooks/${created.webhookId}`,
    received: () => receiver.requests.filter((one) => one.path.endsWith(person.accountId)),
  }
}

/** Waits for requests of an account that satisfy the condition. */
const until = (received: () => Received[], isDone: (requests: Received[]) => boolean) =>
  eventually(async () => received(), isDone)

/** Returns the changes of the feed of these types, from its beginning. */
async function feedOf(person: Person): Promise<Json[]> {
  const { changes } = await person.get('/changes?limit=100&types=transaction.created')
  return changes
}

test('a purchase by REST reaches the receiver, signed, as the change of the feed', async () => {
  receiver.respond(answer(204))
  const { person, path, buy, secret, webhook, received } = await household()
  const { transactionId, requestId } = await buy(450)
  const [{ body, headers, id }] = (await until(received, ({ length }) => length > 0)) as [Received]
  const [change] = await feedOf(person)
  expect(new Library(secret).verify(body, headers)).toEqual({
    type: 'transaction.created',
    timestamp: change?.at,
    data: change,
  })
  expect(change).toMatchObject({ changeId: id, objectId: transactionId, causeId: requestId })
  expect(change?.actor).toBe('key')
  const { amount } = await person.get(`${path}/transactions/${change?.objectId}`)
  expect(amount).toBe(450)
  const sent = async () => (await person.get(`${webhook}/deliveries?limit=10`)).deliveries
  expect(await eventually(sent, ([one]) => one?.status === 'delivered')).toMatchObject([
    { changeId: id, attempts: 1, answerStatus: 204 },
  ])
})

test('after three days of failures a mail tells its owner, and nothing is lost', async () => {
  const { person, buy, webhook, received } = await household()
  receiver.respond(answer(500))
  const bought = [(await buy(100)).transactionId]
  const shown = () => person.get(webhook)
  await eventually(shown, ({ failingSince }) => failingSince !== null)
  bought.push((await buy(200)).transactionId)
  const age = async () => {
    // Repeated, as a round under way saves the instant that it has read.
    await coffer.booted.database('notices').pool.query(sql.unsafe`
      UPDATE webhook_progress SET failing_since = now() - interval '3 days', rest_until = NULL
      WHERE account_id = ${person.accountId} AND failures > 0`)
    return shown()
  }
  const off = await eventually(age, ({ isEnabled }) => !isEnabled)
  expect(off.disabledReason).toBe('failing')
  const { text } = await sink.mailTo(person.email, 'A webhook was switched off')
  expect(text).toContain('your webhook at 127.0.0.1: it has answered no request for three days')
  bought.push((await buy(300)).transactionId)
  const isTold = (changes: Json[]) => changes.length === bought.length
  const feed = await eventually(() => feedOf(person), isTold)
  expect(feed.map(({ objectId }) => objectId)).toEqual(bought)
  const before = received().length
  receiver.respond(answer(204))
  await person.patch(webhook, { isEnabled: true })
  await person.post(`${webhook}/resend`, { since: feed[0]?.at })
  await until(received, (requests) => {
    const sent = new Set(requests.slice(before).map(({ data }) => data.objectId))
    return bought.every((transactionId) => sent.has(transactionId))
  })
  expect(sink.mails.filter(({ to }) => to === person.email)).toHaveLength(1)
})
