import { requireFeature, requireOfferedFeature } from '@coffer/gateway/auth/features'
import { answerOf, tooManyRequests } from '@coffer/gateway/http/errors/errors'
import { createErrorRenderer } from '@coffer/gateway/http/errors/problem-details'
import type { Feature } from '@coffer/gateway/http/route'
import { newId } from '@coffer/kit/values/id'
import { Code, ConnectError } from '@connectrpc/connect'
import type { Recorder } from './recorder.ts'

interface Rendered {
  name: string
  summary: string
  isRead?: boolean
  isOwn?: boolean
}

/**
 * Adds the refusals of features that are off, and the failures. A household cannot cause them, so
 * the functions of the gateway that refuse and render are called instead.
 */
export async function renders(recorder: Recorder, externalUrl: string): Promise<void> {
  const render = createErrorRenderer({ externalUrl })
  const add = (id: string, error: unknown, { isRead = false, ...how }: Rendered) => {
    const { status, body } = answerOf(error, { isRead })
    if (status === 500) body.requestId = newId('req')
    const as = (accept: string) => JSON.parse(render({ accept }, { status, body }).text)
    const { name, summary, isOwn = false } = how
    const problemDetails = as('application/problem+json')
    const refusal = { status, name, summary, answer: as('application/json'), problemDetails }
    recorder.addRefusal(refusal, { id, isOwn })
  }
  add('getHealth', tooManyRequests(), { name: 'client', summary: 'Too many of a client address' })
  add('getLink', new Error('internal'), { name: 'internal', summary: 'A fault of the server' })
  const lost = new ConnectError('lost', Code.Unavailable, undefined, undefined, new Error('lost'))
  add('getLink', lost, { name: 'service', summary: 'A service is away' })
  const late = new ConnectError('late', Code.DeadlineExceeded)
  add('getLink', late, { name: 'read', summary: 'A read without an answer in time', isRead: true })
  add('createLink', late, { name: 'write', summary: 'A write without an answer in time' })
  for (const [id, feature] of Object.entries(features)) {
    const summary = 'The server does not offer it'
    const name = `${feature}Off`
    add(id, refusalOfFeature(feature), { name, summary, isOwn: feature !== 'aggregator' })
  }
  for (const [id, feature] of Object.entries(offered)) {
    const summary = 'The server does not offer it'
    add(id, await refusalOfOffered(feature), { name: `${feature}Off`, summary, isOwn: true })
  }
}

/** Features by operation: those whose path has no ID, which could be unknown. */
const features: Record<string, Feature> = {
  createLinkToken: 'aggregator',
  createCheckout: 'billing',
  getBillingPortal: 'billing',
  receiveStripeEvent: 'billing',
  listMappings: 'uploads',
  createUploadGroup: 'uploads',
  listUploadGroups: 'uploads',
  createMapping: 'uploads',
  listFeedLinks: 'feed',
  createFeedLink: 'feed',
  receiveAggregatorWebhook: 'aggregatorWebhooks',
}

type Offered = Parameters<typeof requireOfferedFeature>[1]

/** Features that identity offers, by operation. */
const offered: Record<string, Offered> = {
  registerAccount: 'allowSignUp',
  createChallenge: 'proofOfWorkEnabled',
  verifyEmail: 'verifyEmailAddress',
  resendVerificationMail: 'verifyEmailAddress',
  requestPasswordReset: 'allowForgotPassword',
  requestPasswordResetByMail: 'allowForgotPassword',
}

function refusalOfFeature(feature: Feature): unknown {
  try {
    requireFeature(feature, {
      uploadsEnabled: false,
      feedEnabled: false,
      aggregatorEnabled: false,
      aggregatorWebhooksEnabled: false,
      billingEnabled: false,
    })
  } catch (error) {
    return error
  }
  throw new Error(`${feature} is not refused`)
}

async function refusalOfOffered(feature: Offered): Promise<unknown> {
  // A mesh whose identity offers nothing.
  const client = () => ({ getFeatures: async () => ({}) })
  const mesh = { client } as unknown as Parameters<typeof requireOfferedFeature>[0]
  try {
    await requireOfferedFeature(mesh, feature)({ options: {} })
  } catch (error) {
    return error
  }
  throw new Error(`${feature} is not refused`)
}
