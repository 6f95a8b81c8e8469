import { eventually } from '@coffer/host/testing/boot'
import { requiredVariable } from '@coffer/host/testing/database'
import type { ServiceDefinition } from '@coffer/kit/service/service'
import { type Receiver, startReceiver } from '@coffer/notices/testing/webhook-receiver'
import { type Coffer, startCoffer } from '../harness/coffer.ts'
import { aggregatorSettings } from '../providers/linked-aggregator.ts'
import { feedAccount, type LunchFlow, startLunchFlow } from '../providers/lunch-flow.ts'
import { type Plaid, startPlaid } from '../providers/plaid/plaid.ts'
import { type MailSink, startMailSink } from '../providers/smtp.ts'
import { type StripeSimulator, startStripe } from '../providers/stripe.ts'
import { readChanges } from '../release/stream.ts'
import { createRecorder, type Recorder } from './recorder.ts'

/** When the examples take place: a Monday morning in Chicago. */
export const start = new Date('2026-03-02T15:30:00Z')

/** A running Coffer with every feature, and the servers outside of it. */
export interface World extends AsyncDisposable {
  coffer: Coffer
  recorder: Recorder
  stripe: StripeSimulator
  mails: MailSink
  plaid: Plaid
  feed: LunchFlow
  receiver: Receiver
  /**
   * Current time of all servers. It stands still until `pass` moves it, once all events are
   * handled: plans are calculated as of the time at which the consumer handles them.
   */
  now: () => Date
  pass: (seconds: number) => Promise<void>
}

interface Choices {
  services?: ServiceDefinition[]
  createRecorder?: (baseUrl: string) => Recorder
}

/** Starts all servers at `start`. */
export async function startWorld(choices: Choices = {}): Promise<World> {
  await using opening = new AsyncDisposableStack()
  let now = start
  const stripe = opening.use(await startStripe())
  const mails = opening.use(await startMailSink())
  const plaid = opening.use(await startPlaid({ now: () => now }))
  const feed = opening.use(await startLunchFlow())
  const receiver = opening.use(await startReceiver())
  feed.accounts.push(
    feedAccount(4417, { name: 'Everyday Checking', institution_name: 'Prairie State Bank' }),
    feedAccount(8820, { name: 'Rainy Day Savings', institution_name: 'Prairie State Bank' }),
  )
  const settings = {
    ...stripe.settings,
    ...aggregatorSettings(plaid),
    // Without webhooks a new link is synced at once.
    COFFER_AGGREGATOR_WEBHOOKS_ENABLED: 'false',
    COFFER_EXTERNAL_URL: 'https://coffer.example.com',
    COFFER_TRUSTED_PROXIES: '127.0.0.1',
    COFFER_RELEASE: '1.4.0',
    COFFER_SMTP_URL: mails.url,
    COFFER_SMTP_TLS: 'none',
    COFFER_EMAIL_VERIFICATION_ENABLED: 'true',
    COFFER_PROOF_OF_WORK_ENABLED: 'true',
    COFFER_PROOF_OF_WORK_DIFFICULTY: '12',
    COFFER_FEED_ENABLED: 'true',
    COFFER_FEED_ALLOWED_URLS: feed.url,
    COFFER_FEED_PRIVATE_ADDRESSES: 'true',
    COFFER_WEBHOOK_ALLOWED_HOSTS: receiver.host,
  }
  const coffer = opening.use(await startCoffer(settings, choices.services))
  coffer.booted.clock.now = now
  const opened = opening.move()
  return {
    coffer,
    recorder: (choices.createRecorder ?? createRecorder)(coffer.baseUrl),
    stripe,
    mails,
    plaid,
    feed,
    receiver,
    now: () => now,
    pass: async (seconds) => {
      await eventually(
        () => readChanges({ natsUrl: requiredVariable('COFFER_TEST_NATS_URL'), ...coffer.booted }),
        ({ unpublished, waiting }) => unpublished === 0 && waiting === 0,
      )
      now = new Date(now.getTime() + seconds * 1000)
      coffer.booted.clock.now = now
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  }
}
